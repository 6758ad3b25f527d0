// Webhooks against a real receiver that answers late, wrongly or not at all.
#include "serve/live/webhooks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX
#include <thread>

#include "store/file_store.h"
#include "tests/serve/live/feed_fixture.h"
#include "tests/serve/live/memory_store.h"
#include "tests/serve/live/webhook_receiver.h"
#include "tests/store/wallet_repository_samples.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

template <typename Condition>
bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

std::vector<store::Seq> range(store::Seq from, store::Seq to) {
  std::vector<store::Seq> out;
  for (store::Seq seq = from; seq <= to; ++seq) out.push_back(seq);
  return out;
}

class WebhookTest : public testing::Test {
 protected:
  std::unique_ptr<serve::Webhooks> make(const std::vector<std::string>& urls, store::Store& store) {
    serve::WebhookSetup setup{
        .store = store,
        .render = render_,
        .key = serve::WebhookKey(util::SecretBytes{'k', 'e', 'y'}),
        .leads = [this] { return leads_.load(); },
        .jitter = [] { return 0.5; },
        .log =
            [this](util::LogLevel, std::string_view line) {
              const std::lock_guard lock(log_mutex_);
              log_ += std::string(line) + "\n";
            },
    };
    setup.options.back_off = {.first = milliseconds(5), .longest = milliseconds(20)};
    setup.options.look_every = milliseconds(20);
    setup.options.limits.connect = limit_;
    setup.options.limits.whole = limit_;
    const auto parsed = serve::parse_webhook_urls(urls);
    auto hooks = std::make_unique<serve::Webhooks>(*parsed, std::move(setup));
    hooks->start();
    return hooks;
  }
  std::unique_ptr<serve::Webhooks> make(const WebhookReceiver& receiver) { return make({receiver.url()}, store_); }
  std::string log() {
    const std::lock_guard lock(log_mutex_);
    return log_;
  }
  store::Seq position(const std::string& url) { return store_.position(serve::parse_webhook_url(url)->consumer()); }

  MemoryStore store_;
  serve::RenderEvent render_ = seq_json;
  std::atomic<bool> leads_{true};
  milliseconds limit_{30'000};
  std::mutex log_mutex_;
  std::string log_;
};

TEST_F(WebhookTest, PostsAllInOrderAndSigned) {
  store_.append_txs(250);
  WebhookReceiver receiver;
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return receiver.accepted().size() == 250; }));
  store_.append_tip();
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 251; }));
  EXPECT_EQ(receiver.accepted(), range(1, 251));
  const auto posts = receiver.posts();
  ASSERT_EQ(posts.size(), 4U);
  EXPECT_EQ(posts[0].seqs(), range(1, 100));
  EXPECT_THAT(posts[0].head, testing::StartsWith("POST /hook?secret=x HTTP/1.1\r\n"));
  EXPECT_THAT(posts[0].field("Host"), testing::StartsWith("127.0.0.1:"));
  EXPECT_EQ(posts[0].field("Content-Type"), "application/json");
  EXPECT_EQ(posts[3].body, R"({"events":[{"seq":251}]})");
  const serve::WebhookKey key(util::SecretBytes{'k', 'e', 'y'});
  for (const auto& post : posts) EXPECT_EQ(post.field("X-Spv-Signature"), key.signature(post.body));
  const auto status = hooks->status();
  EXPECT_EQ(status.at(0).position, 251);
  EXPECT_TRUE(status.at(0).leads);
}

TEST_F(WebhookTest, TriesAgainUntilTheAnswerIsASuccess) {
  store_.append_txs(3);
  WebhookReceiver receiver;
  receiver.will({WebhookReceiver::status(500),
                 WebhookReceiver::status(404),
                 WebhookReceiver::status(302, "Location: /other\r\n"),
                 WebhookReceiver::status(199),
                 {.bytes = ""},
                 {.bytes = "nonsense\r\n\r\n"},
                 {.bytes = "HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n"}});
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 3; }));
  ASSERT_EQ(receiver.posts().size(), 8U);
  EXPECT_EQ(receiver.connections(), 8) << "a redirect is not followed";
  for (const auto& post : receiver.posts()) EXPECT_EQ(post.seqs(), range(1, 3));
  EXPECT_THAT(log(), HasSubstr("answered with status 500; trying again in 1 s\n"));
  EXPECT_THAT(log(), HasSubstr("answers again after 7 failed posts"));
  EXPECT_EQ(hooks->status().at(0).failures, 0U);
}

TEST_F(WebhookTest, TheLogHasTheHostOnly) {
  store_.append_tx();
  WebhookReceiver receiver;
  receiver.will({WebhookReceiver::status(500)});
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 1; }));
  EXPECT_THAT(log(), testing::StartsWith("webhook 127.0.0.1:"));
  EXPECT_THAT(log(), Not(HasSubstr("hook?")));
  EXPECT_THAT(log(), Not(HasSubstr("secret")));
}

TEST_F(WebhookTest, AReceiverThatHangsIsLeftInTime) {
  store_.append_tx();
  limit_ = milliseconds(300);
  WebhookReceiver receiver;
  receiver.will({{.bytes = "", .hang = true}, {.bytes = "HTTP/1.1 200 OK\r\n", .hang = true}});
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return receiver.posts().size() >= 3 && position(receiver.url()) == 1; }));
  EXPECT_THAT(log(), HasSubstr("timed out"));
}

TEST_F(WebhookTest, ALongBodyOfTheAnswerIsNotReadToTheEnd) {
  store_.append_tx();
  WebhookReceiver receiver;
  receiver.will(
      {{.bytes = "HTTP/1.1 204 No Content\r\n\r\n" + std::string(1'000'000, 'x'), .hang = true},
       {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(300'000, 'x'), .hang = true},
       {.bytes = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
       {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"},
       {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .hang = false, .piece = 3}});
  const auto hooks = make(receiver);
  for (store::Seq seq = 1; seq <= 5; ++seq) {
    ASSERT_TRUE(eventually([&] { return position(receiver.url()) == seq; })) << log();
    store_.append_tx();
  }
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 6; }));
  EXPECT_EQ(receiver.posts().size(), 6U) << "each was a success at once: " << log();
}

TEST_F(WebhookTest, NobodyThereIsAFailureToo) {
  store_.append_tx();
  std::string url;
  {
    const WebhookReceiver gone;
    url = gone.url();
  }
  const auto hooks = make({url}, store_);
  ASSERT_TRUE(eventually([&] { return hooks->status().at(0).failures >= 3; }));
  EXPECT_THAT(log(), HasSubstr("cannot connect: Connection refused"));
  EXPECT_EQ(position(url), 0);
}

TEST_F(WebhookTest, GoesOnWhereItWasAfterARestart) {
  store_.append_txs(5);
  WebhookReceiver receiver;
  auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 5; }));
  hooks.reset();
  store_.append_txs(2);
  hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 7; }));
  EXPECT_EQ(receiver.accepted(), range(1, 7));
  EXPECT_THAT(log(), testing::IsEmpty());
}

TEST_F(WebhookTest, ANewUrlStartsAtTheOldestEventWithoutAWarning) {
  store_.append_txs(10);
  store_.prune_up_to(4);
  WebhookReceiver receiver;
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 10; }));
  EXPECT_EQ(receiver.accepted(), range(5, 10));
  EXPECT_THAT(log(), testing::IsEmpty());
}

TEST_F(WebhookTest, WarnsOfEventsThatWerePrunedBeforeTheyWerePosted) {
  store_.append_txs(20);
  store_.prune_up_to(9);
  WebhookReceiver receiver;
  store_.acknowledge(serve::parse_webhook_url(receiver.url())->consumer(), 4);
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 20; }));
  EXPECT_EQ(receiver.accepted(), range(10, 20));
  EXPECT_THAT(log(), HasSubstr("events 5 to 9 were pruned before they could be posted"));
}

TEST_F(WebhookTest, OnlyTheProcessThatLeadsPosts) {
  store_.append_txs(5);
  leads_ = false;
  WebhookReceiver receiver;
  const auto hooks = make(receiver);
  const int asked = store_.asked;
  ASSERT_TRUE(eventually([&] { return !hooks->status().at(0).leads; }));
  EXPECT_EQ(store_.asked, asked) << "nor does it ask";
  // The other process has come to 3 when it dies.
  store_.acknowledge(serve::parse_webhook_url(receiver.url())->consumer(), 3);
  leads_ = true;
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 5; }));
  leads_ = false;
  ASSERT_TRUE(eventually([&] { return !hooks->status().at(0).leads; }));
  store_.append_txs(4);
  store_.acknowledge(serve::parse_webhook_url(receiver.url())->consumer(), 8);
  leads_ = true;
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 9; }));
  EXPECT_EQ(receiver.accepted(), (std::vector<store::Seq>{4, 5, 9}));
}

TEST_F(WebhookTest, AStoreThatIsAwayDelaysButRepeatsNothing) {
  store_.append_txs(2);
  WebhookReceiver receiver;
  // It goes away after the post and before the position is stored.
  receiver.will({{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .hang = false, .piece = 4}});
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return receiver.posts().size() == 1; }));
  store_.set_away(true);
  ASSERT_TRUE(eventually([&] { return log().find("the database is away; trying again") != std::string::npos; }));
  store_.set_away(false);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 2; }));
  store_.append_tx();
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 3; }));
  EXPECT_EQ(receiver.accepted(), range(3, 3)) << "the first two were taken by the first answer";
  EXPECT_EQ(receiver.posts().size(), 2U);
}

TEST_F(WebhookTest, T8_OneThatHangsHoldsUpNoOther) {
  store_.append_txs(3);
  WebhookReceiver stuck;
  WebhookReceiver healthy;
  stuck.will({{.bytes = "", .hang = true}});
  const auto hooks = make({stuck.url(), healthy.url()}, store_);
  ASSERT_TRUE(eventually([&] { return position(healthy.url()) == 3; }));
  EXPECT_EQ(position(stuck.url()), 0);
}

TEST_F(WebhookTest, T8_StopsInTimeWhateverTheReceiverDoes) {
  store_.append_txs(3);
  WebhookReceiver stuck;
  stuck.will({{.bytes = "HTTP/1.1 200", .hang = true}});
  const auto hooks = make(stuck);
  ASSERT_TRUE(eventually([&] { return stuck.posts().size() == 1; }));
  const auto began = std::chrono::steady_clock::now();
  hooks->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10)) << "of the 30 that it may hang";
  EXPECT_EQ(position(stuck.url()), 0);
}

TEST_F(WebhookTest, SeveralOfOneHostAreTold) {
  WebhookReceiver receiver;
  const auto hooks = make({receiver.url(), receiver.url() + "2"}, store_);
  const auto status = hooks->status();
  EXPECT_EQ(status[1].name, status[0].name + "#2");
}

TEST_F(WebhookTest, KeepsItsPositionInRealFiles) {
  const TempDir dir;
  store::FileStore files(dir.file("wallets"), dir.file("events.sqlite"), chain::Network::Main);
  files.create("mine", {.contents = sample_contents(), .info = kWatchOnly, .secret = {}});
  const auto wallet = files.open("mine", store::Access::Write);
  wallet::Changes changes;
  changes.events.resize(3);
  store::WalletChanges batch{.wallet = wallet.get(), .changes = &changes};
  files.commit({&batch, 1}, 1'700'000'000);
  const auto newest = files.newest_event();
  WebhookReceiver receiver;
  const auto hooks = make({receiver.url()}, files);
  const auto consumer = serve::parse_webhook_url(receiver.url())->consumer();
  ASSERT_TRUE(eventually([&] { return files.position(consumer) == newest; }));
  hooks->stop();
  store::FileStore again(dir.file("wallets"), dir.file("events.sqlite"), chain::Network::Main);
  EXPECT_EQ(again.position(consumer), newest);
}

/// The receiver that docs/events.md shows, on another port.
class ReceiverOfTheDocuments {
 public:
  ReceiverOfTheDocuments(std::uint16_t port, const std::string& key) {
    std::ifstream in(SPV_EVENTS_DOC);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto begin = text.find("```python\n") + 10;
    std::string script = text.substr(begin, text.find("```", begin) - begin);
    replace(script, "8000", std::to_string(port));
    replace(script, "webhook.key", dir_.file("webhook.key"));
    std::ofstream(dir_.file("webhook.key")) << key << "\n";
    std::ofstream(dir_.file("receiver.py")) << script;
    child_.emplace(std::vector<std::string>{"python3", dir_.file("receiver.py")}, dir_.file("out"));
  }
  [[nodiscard]] std::string output() const {
    std::ifstream in(dir_.file("out"));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
  }
  TempDir dir_;
  std::optional<ChildProcess> child_;
};

std::uint16_t free_port() {
  return LoopbackServer([](int) {}).port();
}

TEST_F(WebhookTest, TheReceiverOfTheDocumentsChecksTheSignature) {
  store_.append_txs(2);
  render_ = [](const store::LoggedEvent& event) {
    return R"({"seq":)" + std::to_string(event.seq) + R"(,"type":"tx"})";
  };
  const auto port = free_port();
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/spv";
  auto receiver = std::make_unique<ReceiverOfTheDocuments>(port, "another key");
  auto hooks = make({url}, store_);
  ASSERT_TRUE(eventually([&] { return receiver->output().find("401") != std::string::npos; })) << receiver->output();
  EXPECT_EQ(position(url), 0);
  receiver.reset();
  receiver = std::make_unique<ReceiverOfTheDocuments>(port, "key");
  ASSERT_TRUE(eventually([&] { return position(url) == 2; })) << receiver->output() << log();
  EXPECT_THAT(receiver->output(), HasSubstr("1 tx\n2 tx\n"));
}

class SecureWebhookTest : public WebhookTest {
 protected:
  /// OpenSSL takes the certificates to trust from this file.
  static void trust(const Certificate& certificate) { setenv("SSL_CERT_FILE", certificate.file().c_str(), 1); }
  void TearDown() override { unsetenv("SSL_CERT_FILE"); }
};

TEST_F(SecureWebhookTest, PostsOverHttps) {
  store_.append_txs(3);
  const Certificate certificate("DNS:localhost,IP:127.0.0.1");
  trust(certificate);
  WebhookReceiver receiver(&certificate);
  const auto hooks = make({receiver.url(), receiver.url("localhost")}, store_);
  ASSERT_TRUE(eventually([&] { return position(receiver.url()) == 3 && position(receiver.url("localhost")) == 3; }))
      << log();
  EXPECT_THAT(log(), testing::IsEmpty());
}

TEST_F(SecureWebhookTest, RefusesACertificateThatNobodyVouchesFor) {
  store_.append_tx();
  const Certificate certificate("IP:127.0.0.1");
  WebhookReceiver receiver(&certificate);
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return hooks->status().at(0).failures >= 1; }));
  EXPECT_THAT(log(), HasSubstr("TLS: certificate verify failed"));
  EXPECT_THAT(log(), HasSubstr("(self-signed certificate)"));
  EXPECT_TRUE(receiver.posts().empty()) << "not a byte of it";
}

TEST_F(SecureWebhookTest, RefusesACertificateForAnotherHost) {
  store_.append_tx();
  const Certificate certificate("DNS:example.com");
  trust(certificate);
  WebhookReceiver receiver(&certificate);
  const auto hooks = make(receiver);
  ASSERT_TRUE(eventually([&] { return hooks->status().at(0).failures >= 1; }));
  EXPECT_THAT(log(), HasSubstr("TLS: certificate verify failed"));
  EXPECT_TRUE(receiver.posts().empty());
}

}  // namespace
}  // namespace spv::test
