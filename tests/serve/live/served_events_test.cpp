// The event feed behind the real HTTP server, over sockets.
#include <arpa/inet.h>
#include <future>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "serve/http/server.h"
#include "tests/serve/live/feed_fixture.h"
#include "tests/serve/live/memory_store.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::string_view kServedToken = "0123456789abcdef0123456789abcdef";

/// A client with a socket of its own; nothing here waits for ever.
class SocketClient {
 public:
  SocketClient(std::uint16_t port, const std::string& target, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
                                std::string(kServedToken) + "\r\n\r\n";
    EXPECT_EQ(send(socket_, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;
  ~SocketClient() { close(socket_); }

  /// Reads until the text has come; false at the end, or if it takes too long.
  bool read_until(const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (text_.find(wanted, text_.size() - std::min(text_.size(), fresh_ + wanted.size())) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end || !read_some()) return text_.find(wanted) != std::string::npos;
    }
    return true;
  }
  void read_to_end() { read_until("\x01 never"); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool read_some() {
    pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
    if (poll(&wanted, 1, 60'000) != 1) return false;
    std::array<char, 65'536> part{};
    const auto got = recv(socket_, part.data(), part.size(), 0);
    fresh_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    if (got > 0) text_.append(part.data(), fresh_);
    return got > 0;
  }

  int socket_;
  std::string text_;
  std::size_t fresh_ = 0;
};

std::vector<store::Seq> seqs_of(const std::string& text) {
  FakeStream reader;
  reader.text = text;
  return reader.seqs();
}

class ServedEventsTest : public testing::Test, public serve::Handler {
 protected:
  void serve(const serve::FeedOptions& options = {}) {
    feed_.emplace(io_, store_, seq_json, nullptr, options);
    feed_->start();
    serve::ServerOptions server_options;
    server_options.port = 0;
    server_.emplace(io_, std::move(server_options), access_, *this);
    const auto address = server_->listen();
    ASSERT_TRUE(address) << address.error();
    port_ = static_cast<std::uint16_t>(std::stoi(address->substr(address->rfind(':') + 1)));
    thread_ = std::thread([this] { io_.run(); });
    ASSERT_TRUE(eventually([&] { return feed_->stats().store_up && feed_->stats().newest == store_.newest_event(); }));
  }
  void TearDown() override {
    const auto began = std::chrono::steady_clock::now();
    feed_->stop();
    server_->stop();
    work_.reset();
    thread_.join();  // the loop has nothing more to do
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(12)) << "a timer that nobody cancels";
    server_.reset();
    feed_.reset();
  }
  void handle(serve::Request request, serve::Reply reply) override {
    if (request.path == "/v1/events") return feed_->list(request, std::move(reply));
    feed_->stream(request, std::move(reply));
  }
  template <typename Condition>
  static bool eventually(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(2));
    return condition();
  }
  std::unique_ptr<SocketClient> get(const std::string& target, int receive_buffer = 0) const {
    return std::make_unique<SocketClient>(port_, target, receive_buffer);
  }
  static std::string last_of(store::Seq seq) { return "\nid: " + std::to_string(seq) + "\n"; }

  MemoryStore store_;
  boost::asio::io_context io_{1};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{io_.get_executor()};
  serve::Access access_{
      serve::AccessOptions{.token = std::string(kServedToken), .host_names = {}, .entropy = [](auto) {}}};
  std::optional<serve::EventFeed> feed_;
  std::optional<serve::Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(ServedEventsTest, AnswersListsPollsAndStreams) {
  store_.append_txs(3);
  serve();
  const auto list = get("/v1/events?after=1&limit=1");
  ASSERT_TRUE(list->read_until(R"("next":2})"));
  EXPECT_THAT(list->text(), testing::StartsWith("HTTP/1.1 200"));
  const auto stream = get("/v1/events/stream?after=1");
  const auto poll = get("/v1/events?after=3&wait=60");
  ASSERT_TRUE(eventually([&] { return feed_->stats().polls == 1 && feed_->stats().streams == 1; }));
  store_.append_tip();
  ASSERT_TRUE(poll->read_until(R"({"events":[{"seq":4}],"next":4})"));
  ASSERT_TRUE(stream->read_until("id: 4\nevent: tip\ndata: {\"seq\":4}\n\n"));
  EXPECT_THAT(stream->text(), HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_EQ(seqs_of(stream->text()), (std::vector<store::Seq>{2, 3, 4}));
}

TEST_F(ServedEventsTest, ALongHistoryGoesThroughASmallQueue) {
  constexpr store::Seq kEvents = 20'000;  // a megabyte and a half
  store_.append_txs(kEvents);
  serve();
  const auto stream = get("/v1/events/stream?after=0");
  ASSERT_TRUE(stream->read_until(last_of(kEvents)));
  store_.append_tx();
  ASSERT_TRUE(stream->read_until(last_of(kEvents + 1)));
  const auto seqs = seqs_of(stream->text());
  ASSERT_EQ(seqs.size(), static_cast<std::size_t>(kEvents + 1));
  for (std::size_t i = 0; i < seqs.size(); ++i) ASSERT_EQ(seqs[i], static_cast<store::Seq>(i + 1));
}

TEST_F(ServedEventsTest, AThousandStreamsGetAnEventSoon) {
  constexpr std::size_t kStreams = 1'000;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2 * kStreams + 100) GTEST_SKIP() << "too few file descriptors are allowed";
  serve();
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < kStreams; ++i) clients.push_back(get("/v1/events/stream"));
  ASSERT_TRUE(eventually([&] { return feed_->stats().streams == kStreams; }));
  const auto began = std::chrono::steady_clock::now();
  store_.append_tx();
  for (const auto& client : clients) ASSERT_TRUE(client->read_until("id: 1\n"));
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
  RecordProperty("milliseconds", static_cast<int>(took.count()));
  std::cout << "an event reached " << kStreams << " streams within " << took.count() << " ms\n";
  EXPECT_LT(took, std::chrono::seconds(10)) << "the bench has the real limit, 250 ms";
}

TEST_F(ServedEventsTest, ASlowReaderIsCutOffAndResumes) {
  serve();
  const auto slow = get("/v1/events/stream", 65'536);
  const auto healthy = get("/v1/events/stream");
  ASSERT_TRUE(eventually([&] { return feed_->stats().streams == 2; }));
  store::Seq last = 0;
  std::thread reader([&] { healthy->read_until("\x01 never"); });
  ASSERT_TRUE(eventually([&] {
    if (feed_->stats().newest == last) {
      for (int i = 0; i < 400; ++i) last = store_.append_tx();
    }
    return feed_->stats().streams == 1;
  }));
  slow->read_to_end();
  const auto& text = slow->text();
  const std::string words = "cut off: the client reads too slowly; resume with Last-Event-ID ";
  const auto at = text.find(words);
  ASSERT_NE(at, std::string::npos) << text.substr(text.size() - std::min<std::size_t>(text.size(), 200));
  const auto seen = seqs_of(text);
  EXPECT_EQ(std::stoll(text.substr(at + words.size())), seen.back()) << "just what it got";
  const auto again = get("/v1/events/stream?after=" + std::to_string(seen.back()));
  ASSERT_TRUE(again->read_until(last_of(last)));
  EXPECT_EQ(seqs_of(again->text()).front(), seen.back() + 1);
  feed_->stop();
  reader.join();
  EXPECT_EQ(seqs_of(healthy->text()).size(), static_cast<std::size_t>(last)) << "others notice nothing";
  EXPECT_THAT(healthy->text(), HasSubstr(": the server is shutting down; resume with Last-Event-ID "));
}

}  // namespace
}  // namespace spv::test
