// The Electrum server as clients see it, over sockets; the test runs its loop.
#include "serve/electrum/hub.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/electrum/server_fixture.h"
#include "util/number.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

/// A client with a socket of its own that waits for nothing.
class LineClient {
 public:
  explicit LineClient(const std::string& place) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(*util::parse_number<std::uint16_t>(place.substr(place.rfind(':') + 1)));
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  LineClient(const LineClient&) = delete;
  LineClient& operator=(const LineClient&) = delete;
  ~LineClient() { close(socket_); }

  void ask(const std::string& method, const json::array& params = {}) {
    const auto line = json::serialize(json::object{{"id", 1}, {"method", method}, {"params", params}}) + "\n";
    EXPECT_EQ(send(socket_, line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
  }
  /// Takes what has come; true if there is a line.
  [[nodiscard]] bool has_line() {
    read_some();
    return text_.find('\n') != std::string::npos;
  }
  [[nodiscard]] json::object take() {
    const auto end = text_.find('\n');
    auto out = json::parse(text_.substr(0, end)).as_object();
    text_.erase(0, end + 1);
    return out;
  }
  /// The server has hung up.
  [[nodiscard]] bool is_over() {
    read_some();
    return over_;
  }

 private:
  void read_some() {
    std::array<char, 8'192> part{};
    for (;;) {
      const auto got = recv(socket_, part.data(), part.size(), MSG_DONTWAIT);
      if (got > 0) {
        text_.append(part.data(), static_cast<std::size_t>(got));
        continue;
      }
      over_ = over_ || got == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
  }

  int socket_;
  std::string text_;
  bool over_ = false;
};

class HubTest : public ServerTest {
 protected:
  void TearDown() override {
    if (hub_) hub_->stop();
    hub_.reset();
    ServerTest::TearDown();
  }
  void start(HubOptions options = {}) {
    hub_.emplace(Hub::Setup{.io = io_,
                            .client = client_,
                            .clock = client::clock_of({}),
                            .ask = [](Request, Reply) {},
                            .log = [this](util::LogLevel, std::string_view text) { log_.emplace_back(text); }},
                 std::move(options));
    const auto listening = hub_->listen();
    ASSERT_TRUE(listening) << listening.error();
    place_ = *listening;
    ASSERT_TRUE(run_until([&] { return hub_->world().is_loaded; }));
  }
  json::object next_of(LineClient& client) {
    if (run_until([&] { return client.has_line(); })) return client.take();
    ADD_FAILURE() << "no answer";
    return {};
  }
  json::object answer_to(LineClient& client, const std::string& method, const json::array& params = {}) {
    client.ask(method, params);
    return next_of(client);
  }
  void greet(LineClient& client, const std::string& name = "tester") {
    EXPECT_TRUE(answer_to(client, "server.version", {name, "1.4"}).contains("result"));
  }
  /// The event log has this of a wallet; of the chain without a name.
  static RenderedEvent event_of(const std::string& wallet) {
    return {.seq = 1, .wallet = wallet, .frame = nullptr, .json_at = 0};
  }
  void tell(const std::string& wallet) {
    const auto event = event_of(wallet);
    hub_->on_events({&event, 1});
  }

  std::optional<Hub> hub_;
  std::string place_;
  std::vector<std::string> log_;
};

TEST_F(HubTest, TellsAClientOfAPaymentAndOfTheBlock) {
  ASSERT_TRUE(follow_one());
  start();
  LineClient client(place_);
  greet(client);
  const auto script = hash_text(test::script(1));
  const auto before = answer_to(client, "blockchain.scripthash.subscribe", {script}).at("result");
  EXPECT_TRUE(before.is_string()) << "it has a history";
  hub_->tick();
  ASSERT_TRUE(run_until([&] { return hub_->world().tip.has_value(); }));
  EXPECT_EQ(answer_to(client, "blockchain.headers.subscribe").at("result").at("height"), 22);

  mine({test::TxBuilder().pays(test::script(1), 9'000).build()});
  ASSERT_TRUE(total_is("one", 14'000));
  tell("one");
  const auto payment = next_of(client);
  EXPECT_EQ(payment.at("method"), "blockchain.scripthash.subscribe");
  EXPECT_EQ(payment.at("params").at(0), json::value(script));
  EXPECT_NE(payment.at("params").at(1), before);
  tell("");
  const auto block = next_of(client);
  EXPECT_EQ(block.at("method"), "blockchain.headers.subscribe");
  EXPECT_EQ(block.at("params").at(0).at("height"), 23);
}

TEST_F(HubTest, ErrandsAreAnswered) {
  ASSERT_TRUE(follow_one());
  start();
  LineClient client(place_);
  greet(client);
  const auto txid = util::to_string(payment().txid());
  EXPECT_EQ(answer_to(client, "blockchain.transaction.get_merkle", {txid, 11}).at("result").at("pos"), 1);
  EXPECT_EQ(answer_to(client, "blockchain.transaction.id_from_pos", {11, 1}).at("result"), json::value(txid));
  EXPECT_TRUE(answer_to(client, "blockchain.transaction.get", {std::string(64, '1')}).contains("error"));
  EXPECT_TRUE(answer_to(client, "server.ping").contains("result")) << "an error does not end the connection";
}

TEST_F(HubTest, ShowsItsClientsAndNamesThemOnce) {
  start();
  LineClient client(place_);
  greet(client, "wallet 4.3.4");
  EXPECT_TRUE(answer_to(client, "server.ping").contains("result"));
  EXPECT_THAT(log_, ElementsAre(HasSubstr("wallet 4.3.4 has connected, protocol 1.4")));
  EXPECT_EQ(hub_->counts().clients, 1U);
  const auto status = hub_->status();
  EXPECT_EQ(status.at("listening"), json::value(place_));
  ASSERT_EQ(status.at("clients").as_array().size(), 1U);
  EXPECT_EQ(status.at("clients").at(0).at("user_agent"), "wallet 4.3.4");
  EXPECT_EQ(status.at("clients").at(0).at("protocol"), "1.4");
}

TEST_F(HubTest, CountsSubscriptionsWithEachTick) {
  ASSERT_TRUE(follow_one());
  start();
  LineClient client(place_);
  greet(client);
  EXPECT_TRUE(answer_to(client, "blockchain.scripthash.subscribe", {hash_text(test::script(1))}).contains("result"));
  hub_->tick();
  EXPECT_EQ(hub_->counts().subscriptions, 1U);
}

TEST_F(HubTest, WhoAsksForStrangersIsInTheLogOnce) {
  start();
  LineClient client(place_);
  greet(client);
  log_.clear();
  for (std::uint8_t i = 1; i < 4; ++i) {
    const auto answer = answer_to(client, "blockchain.scripthash.get_balance", {hash_text(test::script(i))});
    EXPECT_TRUE(answer.contains("error"));
  }
  EXPECT_THAT(log_, ElementsAre(HasSubstr("tester asks for a wallet that is not followed")));
  EXPECT_EQ(hub_->status().at("clients").at(0).at("not_followed"), 3);
}

TEST_F(HubTest, TurnsAwayTooManyClientsAndForgetsThoseThatGo) {
  HubOptions options;
  options.clients = 1;
  start(options);
  {
    LineClient first(place_);
    greet(first);
    LineClient second(place_);
    EXPECT_TRUE(run_until([&] { return second.is_over(); }));
    EXPECT_TRUE(answer_to(first, "server.ping").contains("result"));
  }
  ASSERT_TRUE(run_until([&] { return hub_->counts().clients == 0; }));
  LineClient third(place_);
  greet(third);
}

TEST_F(HubTest, StoppingCutsClientsOff) {
  start();
  LineClient client(place_);
  greet(client);
  hub_->stop();
  EXPECT_TRUE(run_until([&] { return client.is_over(); }));
  hub_->stop();
}

TEST_F(HubTest, SaysWhyItCannotListen) {
  start();
  const auto port = *util::parse_number<std::uint16_t>(place_.substr(place_.rfind(':') + 1));
  HubOptions taken;
  taken.listener.port = port;
  Hub other({.io = io_, .client = client_, .clock = client::clock_of({}), .ask = [](Request, Reply) {}, .log = nullptr},
            taken);
  const auto listening = other.listen();
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error(), "--electrum: cannot listen on " + place_ + ": Address already in use");
}

}  // namespace
}  // namespace spv::serve::electrum
