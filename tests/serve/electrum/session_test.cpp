#include "serve/electrum/session.h"

#include <gtest/gtest.h>

#include "tests/serve/electrum/electrum_fixture.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using test::TxBuilder;

class ElectrumSession : public testing::Test {
 protected:
  ElectrumSession() { refresh(); }
  std::vector<ScriptHash> refresh() { return world.books.put(view_of("w", wallet, world.books.view("w").get())); }

  World world = sample_world();
  wallet::Wallet wallet = scanned_wallet();
  Speaker client{world};
};

std::string line_of(int id, const std::string& method, const std::string& params = "[]") {
  return R"({"id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

TEST_F(ElectrumSession, AgreesOnAVersion) {
  EXPECT_EQ(result_of(client.ask("server.version", {"me", "1.4"})), (json::array{"spv test", "1.4"}));
  EXPECT_EQ(client.session.agent(), "me");
  EXPECT_EQ(code_of(client.ask("server.version", {"me", "1.4"})), kInvalidRequest);
  Speaker newer(world);
  EXPECT_EQ(result_of(newer.ask("server.version", {"a\nb", json::array{"1.4", "1.7"}})).as_array()[1], "1.6");
  EXPECT_EQ(newer.session.agent(), "a?b");
}

TEST_F(ElectrumSession, ClosesWhereNoVersionIsShared) {
  EXPECT_EQ(code_of(client.ask("server.version", {"me", "1.3"})), kCannot);
  EXPECT_TRUE(client.session.is_closing());
  EXPECT_TRUE(client.say(line_of(2, "server.ping")).empty());
}

TEST_F(ElectrumSession, TheNewestVersionMustBeAskedForFirst) {
  EXPECT_EQ(result_of(client.ask("server.ping")), json::value(nullptr));
  EXPECT_EQ(result_of(client.ask("server.version", {"me", json::array{"1.4", "1.6"}})).as_array()[1], "1.4.3");
}

TEST_F(ElectrumSession, TellsOfAPaymentOnceAndOfItsBlock) {
  const auto script = hash_text(test::receive_script(0));
  EXPECT_TRUE(result_of(client.ask("blockchain.scripthash.subscribe", {script})).is_null());
  const auto payment = TxBuilder().pays(test::receive_script(0), 50'000).build();
  static_cast<void>(test::see(wallet, payment));
  client.session.tell_scripts(refresh());
  client.session.tell_scripts(refresh());
  const auto notes = client.take();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].at("params").as_array()[0], json::value(script));
  EXPECT_EQ(result_of(client.ask("blockchain.scripthash.get_history", {script})),
            (json::array{json::object{{"tx_hash", util::to_string(payment.txid())}, {"height", 0}, {"fee", 0}}}));
  static_cast<void>(test::confirm(wallet, payment, 100));
  client.session.tell_scripts(refresh());
  EXPECT_EQ(client.take().size(), 1U);
  EXPECT_EQ(result_of(client.ask("blockchain.scripthash.listunspent", {script})),
            (json::array{json::object{
                {"tx_hash", util::to_string(payment.txid())}, {"tx_pos", 0}, {"height", 100}, {"value", 50'000}}}));
  EXPECT_EQ(result_of(client.ask("blockchain.scripthash.unsubscribe", {script})), json::value(true));
}

TEST_F(ElectrumSession, L4_AStrangersScriptIsAnErrorNotAnEmptyHistory) {
  const auto script = hash_text(test::foreign_script());
  for (const char* method : {"subscribe", "get_history", "get_mempool", "get_balance", "listunspent"}) {
    EXPECT_EQ(code_of(client.ask(std::string("blockchain.scripthash.") + method, {script})), kCannot) << method;
  }
  EXPECT_EQ(client.session.strangers(), 5U);
  world.empty_unknown = true;
  EXPECT_EQ(result_of(client.ask("blockchain.scripthash.get_history", {script})), json::array());
}

TEST_F(ElectrumSession, LooksAheadBeforeItCallsAScriptAStrangers) {
  world.is_ahead = false;
  const auto script = hash_text(test::foreign_script());
  EXPECT_TRUE(client.ask("blockchain.scripthash.get_history", {script}).is_null());
  const auto orders = client.session.take_orders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<LookAheadOrder>(orders[0]));
  world.is_ahead = true;
  client.session.look_again(client.now);
  EXPECT_EQ(code_of(client.take().at(0)), kCannot);
}

TEST_F(ElectrumSession, L5_AScriptThatIsNotScannedForIsAnsweredWhenItIs) {
  auto fresh = test::sample_wallet();
  world.books.put(view_of("w", fresh, world.books.view("w").get()));
  world.books.remove("w");
  world.books.put(view_of("w", fresh, nullptr));
  const auto script = hash_text(test::receive_script(0));
  EXPECT_TRUE(client.ask("blockchain.scripthash.subscribe", {script}).is_null());
  EXPECT_TRUE(client.session.waits());
  client.session.look_again(client.now + 19s);
  EXPECT_TRUE(client.take().empty());
  static_cast<void>(fresh.set_scan(test::scanned_to(100)));
  static_cast<void>(fresh.note_synced());
  world.books.put(view_of("w", fresh, world.books.view("w").get()));
  client.session.look_again(client.now + 19s);
  EXPECT_TRUE(result_of(client.take().at(0)).is_null());
}

TEST_F(ElectrumSession, WaitingEndsWithAnError) {
  world.tip.reset();
  EXPECT_TRUE(client.ask("blockchain.headers.subscribe").is_null());
  client.session.look_again(client.now + 20s);
  EXPECT_EQ(code_of(client.take().at(0)), kCannot);
  EXPECT_FALSE(client.session.waits());
}

TEST_F(ElectrumSession, ErrandsComeBackInAnyOrder) {
  static_cast<void>(client.say(line_of(1, "blockchain.block.header", "[0]")));
  static_cast<void>(client.say(line_of(2, "blockchain.relayfee")));
  const auto orders = client.session.take_orders();
  ASSERT_EQ(orders.size(), 2U);
  const auto ticket = [&](int at) { return std::get<ErrandOrder>(orders[static_cast<std::size_t>(at)]).ticket; };
  client.session.finish(ticket(1), FeesFound{.floor = 1'000.0, .estimate = {}});
  EXPECT_EQ(client.take().at(0).at("id"), json::value(2));
  client.session.finish(ticket(0), HeadersFound{{world.tip->header}, {}});
  client.session.finish(ticket(0), HeadersFound{{world.tip->header}, {}});
  const auto answers = client.take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].at("result").as_string().size(), 160U);
}

TEST_F(ElectrumSession, HeadersComeAsTheVersionWantsThem) {
  const auto ask = [&](Speaker& speaker) {
    static_cast<void>(speaker.say(line_of(5, "blockchain.block.headers", "[0,2]")));
    const auto orders = speaker.session.take_orders();
    speaker.session.finish(std::get<ErrandOrder>(orders.at(0)).ticket,
                           HeadersFound{{world.tip->header, world.tip->header}, {}});
    return result_of(speaker.take().at(0));
  };
  EXPECT_EQ(ask(client).at("hex").as_string().size(), 320U);
  Speaker newer(world);
  static_cast<void>(newer.ask("server.version", {"me", "1.6"}));
  EXPECT_EQ(ask(newer).at("headers").as_array().size(), 2U);
}

TEST_F(ElectrumSession, L3_NoMoreThanTheLimitIsUnderWay) {
  world.limits.under_way = 3;
  std::string flood;
  for (int i = 0; i < 10; ++i) flood += line_of(i, "blockchain.relayfee") + "\n";
  client.session.feed(flood);
  static_cast<void>(client.run());
  auto orders = client.session.take_orders();
  EXPECT_EQ(orders.size(), 3U);
  EXPECT_TRUE(client.session.has_work());
  std::size_t answered = 0;
  for (; !orders.empty(); orders = client.session.take_orders()) {
    for (const auto& order : orders) client.session.finish(std::get<ErrandOrder>(order).ticket, FeesFound{});
    answered += client.run().size();
  }
  EXPECT_EQ(answered, 10U);
}

TEST_F(ElectrumSession, L7_SubscriptionsHaveALimit) {
  world.limits.subscriptions = 2;
  for (const std::uint32_t index : {0U, 1U, 1U}) {
    const auto script = hash_text(test::receive_script(index));
    EXPECT_TRUE(result_of(client.ask("blockchain.scripthash.subscribe", {script})).is_null());
  }
  EXPECT_EQ(code_of(client.ask("blockchain.scripthash.subscribe", {hash_text(test::receive_script(2))})), kCannot);
  EXPECT_EQ(client.session.subscriptions(), 2U);
}

TEST_F(ElectrumSession, ABatchIsAnsweredAtOnceAndInFull) {
  const auto none = client.say("[" + line_of(1, "server.ping") + "," + line_of(2, "blockchain.relayfee") +
                               R"(,7,{"method":"server.ping"}])");
  EXPECT_TRUE(none.empty()) << "it waits for the errand";
  client.session.finish(std::get<ErrandOrder>(client.session.take_orders().at(0)).ticket, FeesFound{});
  const auto answers = client.take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].as_array().size(), 3U);
  EXPECT_TRUE(client.say(R"([{"method":"server.ping"}])").empty()) << "nobody waits for notifications";
}

TEST_F(ElectrumSession, TheAnswersOfABatchHaveALimit) {
  world.limits.batch_bytes = 200;
  const auto answers = client.say("[" + line_of(1, "server.banner") + "," + line_of(2, "server.banner") + "]");
  EXPECT_NE(answers.at(0).as_array()[0].as_object().if_contains("result"), nullptr);
  EXPECT_EQ(code_of(answers[0].as_array()[1]), kCannot);
}

TEST_F(ElectrumSession, L2_WhatIsNoRequestIsAnErrorAndTheNextOneIsAnswered) {
  for (const std::string& line :
       {std::string("hello"), std::string("{"), std::string(5'000, '['), std::string("[]"), std::string("7"),
        std::string("\xff"), std::string(R"({"id":{},"method":"server.ping"})"), std::string(R"({"id":1})"),
        std::string(R"({"id":1,"method":"server.ping","params":5})"), line_of(1, "nothing.at.all"),
        line_of(1, "server.banner", "[1]"), line_of(1, "blockchain.block.header", R"({"x":1})")}) {
    const auto answers = client.say(line);
    ASSERT_EQ(answers.size(), 1U) << line.substr(0, 40);
    EXPECT_LT(code_of(answers[0]), -32'000) << line.substr(0, 40);
  }
  EXPECT_TRUE(result_of(client.ask("server.ping")).is_null());
}

TEST_F(ElectrumSession, L2_ALineThatIsTooLongEndsTheSession) {
  world.limits.line_bytes = 100;
  Speaker other(world);
  const auto answers = other.say(std::string(101, ' '));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(other.session.is_closing());
}

}  // namespace
}  // namespace spv::serve::electrum
