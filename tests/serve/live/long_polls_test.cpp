// GET /v1/events: answered from memory, from the store, or when an event comes.
#include "tests/serve/live/feed_fixture.h"
#include "tests/serve/live/memory_store.h"

namespace spv::test {
namespace {

using testing::HasSubstr;

class LongPollTest : public FeedTest {
 protected:
  MemoryStore store_;
};

TEST_F(LongPollTest, AnswersAtOnceWhatIsThere) {
  store_.append_tx("a");
  store_.append_tip();
  store_.append_tx("b");
  start(store_);
  ASSERT_TRUE(wait_for_newest(3));
  EXPECT_EQ(answer_of({}).body, R"({"events":[{"seq":1,"wallet":"a"},{"seq":2},{"seq":3,"wallet":"b"}],"next":3})");
  EXPECT_EQ(answer_of({{"after", "2"}}).body, R"({"events":[{"seq":3,"wallet":"b"}],"next":3})");
  EXPECT_EQ(answer_of({{"limit", "2"}}).body, R"({"events":[{"seq":1,"wallet":"a"},{"seq":2}],"next":2})");
  EXPECT_EQ(answer_of({{"wallet", "a"}}).body, R"({"events":[{"seq":1,"wallet":"a"}],"next":1})");
  EXPECT_EQ(answer_of({{"wallet", "a"}, {"after", "1"}}).body, R"({"events":[],"next":3})") << "all was looked at";
  EXPECT_EQ(answer_of({{"after", "3"}}).body, R"({"events":[],"next":3})");
  EXPECT_EQ(answer_of({{"after", "9"}}).body, R"({"events":[],"next":9})") << "never goes back";
}

// A wallet says so of a payment that came a moment before the block that it waited for.
TEST_F(LongPollTest, SaysNothingOfLockedPayments) {
  const auto append_locked = [&] {
    wallet::TxEvent locked;
    locked.state = wallet::TxStanding::Locked;
    store_.append("mine", locked);
  };
  append_locked();
  store_.append_tip();
  start(store_);
  ASSERT_TRUE(wait_for_newest(2));
  EXPECT_EQ(answer_of({}).body, R"({"events":[{"seq":2}],"next":2})");
  const auto client = list({{"after", "2"}, {"wait", "60"}});
  append_locked();
  store_.append_tip();
  ASSERT_TRUE(run_until([&] { return client->answer.has_value(); }));
  EXPECT_EQ(client->answer->body, R"({"events":[{"seq":4}],"next":4})");
}

TEST_F(LongPollTest, OfAnEmptyLogHasNothing) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  EXPECT_EQ(answer_of({}).body, R"({"events":[],"next":0})");
  EXPECT_EQ(answer_of({{"after", "0"}}).body, R"({"events":[],"next":0})");
}

TEST_F(LongPollTest, AnEmptyAnswerIsTheStoresWord) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  // The loop has not seen it: nothing ran in between.
  store_.append_tx();
  EXPECT_EQ(answer_of({{"after", "0"}}).body, R"({"events":[{"seq":1,"wallet":"mine"}],"next":1})");
}

TEST_F(LongPollTest, IsHeldUntilAnEventComes) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = list({{"wait", "60"}});
  const auto other = list({{"wait", "60"}, {"wallet", "other"}});
  ASSERT_TRUE(run_until([&] { return feed_->stats().polls == 2; }));
  EXPECT_FALSE(client->answer);
  store_.append_tx();
  ASSERT_TRUE(run_until([&] { return client->answer.has_value(); }));
  EXPECT_EQ(client->answer->body, R"({"events":[{"seq":1,"wallet":"mine"}],"next":1})");
  EXPECT_FALSE(other->answer) << "not its wallet";
  store_.append_tip();
  store_.append_tx("other");
  ASSERT_TRUE(run_until([&] { return other->answer.has_value(); }));
  EXPECT_EQ(other->answer->body, R"({"events":[{"seq":3,"wallet":"other"}],"next":3})");
}

TEST_F(LongPollTest, EndsEmptyWhenItsTimeIsUp) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  const auto began = std::chrono::steady_clock::now();
  const auto client = list({{"wait", "1"}, {"wallet", "other"}});
  store_.append_tx();
  ASSERT_TRUE(run_until([&] { return client->answer.has_value(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(990));
  EXPECT_EQ(client->answer->status, 200U);
  EXPECT_EQ(client->answer->body, R"({"events":[],"next":1})") << "the newest that was looked at";
  EXPECT_EQ(feed_->stats().polls, 0U);
}

TEST_F(LongPollTest, ReadsOldEventsFromTheStore) {
  store_.append_txs(50);
  start(store_, {.kept_events = 10});
  ASSERT_TRUE(wait_for_newest(50));
  EXPECT_THAT(answer_of({{"after", "3"}, {"limit", "2"}}).body, HasSubstr(R"("next":5})"));
  EXPECT_THAT(answer_of({{"limit", "1"}}).body, HasSubstr(R"("next":1})"));
  EXPECT_EQ(answer_of({{"after", "3"}, {"wallet", "other"}}).body, R"({"events":[],"next":50})");
  const auto waits = list({{"after", "3"}, {"wallet", "other"}, {"wait", "60"}});
  ASSERT_TRUE(run_until([&] { return feed_->stats().polls == 1; })) << "held after the store was looked at";
  store_.append_tx("other");
  ASSERT_TRUE(run_until([&] { return waits->answer.has_value(); }));
  EXPECT_EQ(waits->answer->body, R"({"events":[{"seq":51,"wallet":"other"}],"next":51})");
}

TEST_F(LongPollTest, SaysThatEventsAreGone) {
  store_.append_txs(20);
  store_.prune_up_to(10);
  start(store_);
  ASSERT_TRUE(wait_for_newest(20));
  const auto gone = answer_of({{"after", "9"}});
  EXPECT_EQ(gone.status, 410U);
  EXPECT_THAT(gone.body, HasSubstr(R"({"error":{"code":"gone","message":")"));
  EXPECT_THAT(gone.body, HasSubstr(R"("oldest":11},"oldest":11})"));
  EXPECT_THAT(answer_of({{"after", "10"}, {"limit", "1"}}).body, HasSubstr(R"("next":11})"));
  EXPECT_THAT(answer_of({{"limit", "1"}}).body, HasSubstr(R"("next":11})")) << "from the oldest kept";
}

TEST_F(LongPollTest, NoticesWhatIsPrunedMeanwhile) {
  store_.append_txs(20);
  start(store_);
  ASSERT_TRUE(wait_for_newest(20));
  EXPECT_EQ(answer_of({{"after", "0"}}).status, 200U);
  store_.prune_up_to(20);
  ASSERT_TRUE(run_until([&] { return answer_of({{"after", "19"}}).status == 410; }));
  EXPECT_THAT(answer_of({{"after", "0"}}).body, HasSubstr(R"("oldest":21})")) << "none is left: the next one";
  EXPECT_EQ(answer_of({{"after", "20"}}).body, R"({"events":[],"next":20})");
  EXPECT_EQ(answer_of({}).body, R"({"events":[],"next":20})");
}

TEST_F(LongPollTest, GoneIsFoundInTheStoreToo) {
  store_.append_txs(50);
  start(store_, {.kept_events = 10});
  ASSERT_TRUE(wait_for_newest(50));
  store_.prune_up_to(20);  // the feed does not know yet
  EXPECT_EQ(answer_of({{"after", "3"}}).status, 410U);
}

TEST_F(LongPollTest, AWalletThatIsRenamedHasItsNewNameInOldEvents) {
  store_.append_tx("old");
  store_.append_tx("other");
  start(store_);
  ASSERT_TRUE(wait_for_newest(2));
  EXPECT_EQ(answer_of({{"after", "0"}, {"wallet", "old"}}).body, R"({"events":[{"seq":1,"wallet":"old"}],"next":1})");
  const auto waiting = list({{"after", "2"}, {"wait", "60"}, {"wallet", "new"}});
  store_.rename("old", "new");
  const auto of = [&](std::string wallet) { return answer_of({{"after", "0"}, {"wallet", std::move(wallet)}}).body; };
  ASSERT_TRUE(run_until([&] { return of("old") == R"({"events":[],"next":2})"; }));
  EXPECT_EQ(of("new"), R"({"events":[{"seq":1,"wallet":"new"}],"next":1})");
  EXPECT_EQ(feed_->stats().newest, 2);
  EXPECT_FALSE(waiting->answer) << "no event is told twice";
  store_.append_tx("new");
  ASSERT_TRUE(run_until([&] { return waiting->answer.has_value(); }));
  EXPECT_EQ(waiting->answer->body, R"({"events":[{"seq":3,"wallet":"new"}],"next":3})");
}

TEST_F(LongPollTest, ThousandsWaitForOneQuery) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  constexpr int kClients = 5'000;
  std::vector<std::shared_ptr<FakeClient>> clients;
  const int before = store_.asked;
  for (int i = 0; i < kClients; ++i) clients.push_back(list({{"wait", "60"}, {"after", "0"}}));
  EXPECT_EQ(feed_->stats().polls, std::size_t{kClients});
  store_.append_tx();
  ASSERT_TRUE(run_until([&] { return feed_->stats().polls == 0; }));
  for (const auto& each : clients) ASSERT_THAT(each->answer->body, HasSubstr(R"("next":1})"));
  EXPECT_LT(store_.asked - before, kClients / 2) << "not one a client";
}

TEST_F(LongPollTest, AClientThatGoesAwayIsForgotten) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = list({{"wait", "60"}});
  EXPECT_EQ(feed_->stats().polls, 1U);
  client->gone();
  ASSERT_TRUE(run_until([&] { return feed_->stats().polls == 0; }));
}

TEST_F(LongPollTest, WhileTheStoreIsAwayItSaysSo) {
  store_.append_txs(20);
  start(store_, {.kept_events = 10, .retry_after = std::chrono::milliseconds(20)});
  ASSERT_TRUE(wait_for_newest(20));
  const auto held = list({{"after", "20"}, {"wait", "60"}});
  store_.set_away(true);
  ASSERT_TRUE(run_until([&] { return held->answer.has_value(); }));
  const auto has_retry_after = [](const serve::Response& response) {
    return std::ranges::any_of(response.headers, [](const auto& each) { return each.first == "Retry-After"; });
  };
  EXPECT_EQ(held->answer->status, 503U);
  EXPECT_TRUE(has_retry_after(*held->answer));
  EXPECT_FALSE(feed_->stats().store_up);
  const auto waits = answer_of({{"after", "20"}, {"wait", "60"}});
  EXPECT_EQ(waits.status, 503U);
  EXPECT_TRUE(has_retry_after(waits));
  EXPECT_EQ(answer_of({{"after", "2"}}).status, 503U) << "needs the store";
  EXPECT_EQ(answer_of({{"after", "15"}}).status, 200U) << "is in memory";

  store_.set_away(false);
  ASSERT_TRUE(run_until([&] { return feed_->stats().store_up; }));
  EXPECT_EQ(answer_of({{"after", "2"}}).status, 200U);
  const auto again = list({{"after", "20"}, {"wait", "60"}});
  store_.append_tx();
  ASSERT_TRUE(run_until([&] { return again->answer.has_value(); }));
  EXPECT_EQ(again->answer->status, 200U);
}

TEST_F(LongPollTest, AStoreThatIsAwayFromTheStartComesLater) {
  store_.append_tx();
  store_.set_away(true);
  start(store_, {.retry_after = std::chrono::milliseconds(20)});
  EXPECT_EQ(answer_of({{"wait", "60"}}).status, 503U);
  store_.set_away(false);
  ASSERT_TRUE(wait_for_newest(1));
  EXPECT_EQ(answer_of({}).status, 200U);
}

TEST_F(LongPollTest, T2_StoppingAnswersThoseThatWait) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = list({{"wait", "60"}});
  feed_->stop();
  ASSERT_TRUE(run_until([&] { return client->answer.has_value(); }));
  EXPECT_EQ(client->answer->status, 503U);
  EXPECT_EQ(answer_of({{"wait", "60"}}).status, 503U);
  EXPECT_EQ(answer_of({}).status, 503U);
}

TEST_F(LongPollTest, RefusesABadQuery) {
  start(store_);
  EXPECT_EQ(answer_of({{"limit", "1001"}}).status, 400U);
}

}  // namespace
}  // namespace spv::test
