// GET /v1/events/stream: each event once, in order, whatever the client's speed and wherever it resumes.
#include <thread>

#include "store/file_store.h"
#include "tests/serve/live/feed_fixture.h"
#include "tests/serve/live/memory_store.h"
#include "tests/store/wallet_repository_samples.h"
#include "util/rng.h"

namespace spv::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class StreamTest : public FeedTest {
 protected:
  bool has_seen(const std::shared_ptr<FakeClient>& client, store::Seq seq) {
    return run_until([&] { return client->out->last_seq() >= seq; });
  }

  MemoryStore store_;
};

TEST_F(StreamTest, GivesWhatIsThereAndWhatComes) {
  store_.append_tx("a");
  start(store_);
  ASSERT_TRUE(wait_for_newest(1));
  const auto client = stream({});
  const auto of_b = stream({{"wallet", "b"}});
  store_.append_tip();
  store_.append_tx("b");
  ASSERT_TRUE(has_seen(client, 3));
  ASSERT_TRUE(has_seen(of_b, 3));
  EXPECT_EQ(client->stream_head->content_type, "text/event-stream");
  EXPECT_EQ(client->out->text,
            "id: 1\nevent: tx\ndata: {\"seq\":1,\"wallet\":\"a\"}\n\n"
            "id: 2\nevent: tip\ndata: {\"seq\":2}\n\n"
            "id: 3\nevent: tx\ndata: {\"seq\":3,\"wallet\":\"b\"}\n\n");
  EXPECT_EQ(of_b->out->text, "id: 3\nevent: tx\ndata: {\"seq\":3,\"wallet\":\"b\"}\n\n");
}

TEST_F(StreamTest, ResumesAfterTheLastEvent) {
  store_.append_txs(10);
  start(store_);
  ASSERT_TRUE(wait_for_newest(10));
  const auto client = stream({{"after", "2"}}, "7");
  ASSERT_TRUE(has_seen(client, 10));
  EXPECT_EQ(client->out->seqs(), range(8, 10));
}

TEST_F(StreamTest, SaysThatEventsAreGone) {
  store_.append_txs(50);
  store_.prune_up_to(20);
  start(store_, {.kept_events = 10});
  ASSERT_TRUE(wait_for_newest(50));
  const auto known = stream({{"after", "3"}});
  ASSERT_TRUE(known->answer);
  EXPECT_EQ(known->answer->status, 410U);
  store_.prune_up_to(30);  // the feed does not know yet
  const auto found = stream({{"after", "25"}});
  ASSERT_TRUE(run_until([&] { return found->answer.has_value(); }));
  EXPECT_EQ(found->answer->status, 410U);
  const auto oldest = stream({});
  ASSERT_TRUE(has_seen(oldest, 50));
  EXPECT_EQ(oldest->out->seqs(), range(31, 50));
}

TEST_F(StreamTest, FeedsThoseFarBehindFromTheStore) {
  store_.append_txs(1'000);
  start(store_, {.kept_events = 50});
  ASSERT_TRUE(wait_for_newest(1'000));
  const auto client = stream({{"after", "0"}});
  ASSERT_TRUE(has_seen(client, 1'000));
  store_.append_txs(3);
  ASSERT_TRUE(has_seen(client, 1'003));
  EXPECT_EQ(client->out->seqs(), range(1, 1'003));
}

TEST_F(StreamTest, AFilterThatMatchesLittleIsNotAGap) {
  for (int i = 0; i < 500; ++i) store_.append_tx(i % 100 == 0 ? "rare" : "common");
  start(store_, {.kept_events = 50});
  ASSERT_TRUE(wait_for_newest(500));
  const auto client = stream({{"after", "0"}, {"wallet", "rare"}});
  store_.append_txs(200);
  store_.append_tx("rare");
  ASSERT_TRUE(has_seen(client, 701));
  EXPECT_EQ(client->out->seqs(), (std::vector<store::Seq>{1, 101, 201, 301, 401, 701}));
}

// The next page comes when the last one is sent: no matter how much there is, little of it waits for one client.
TEST_F(StreamTest, AReaderThatIsBehindIsPaced) {
  store_.append_txs(5'000);
  start(store_, {.kept_events = 3'000, .page_bytes = 4'096});
  ASSERT_TRUE(wait_for_newest(5'000));
  const auto slowly = [](FakeStream& out) {
    out.reads = false;
    out.limit = 20'000;
  };
  const auto client = stream({{"after", "0"}}, std::nullopt, slowly);
  ASSERT_TRUE(run_until([&] {
    if (!client->out->queue.empty()) client->out->read_one();
    return client->out->closed || client->out->last_seq() == 5'000;
  }));
  EXPECT_FALSE(client->out->closed);
  EXPECT_EQ(client->out->seqs(), range(1, 5'000));
  EXPECT_LE(client->out->most_queued, 10'000U);
}

TEST_F(StreamTest, ABurstDoesNotCutOffAHealthyReader) {
  start(store_, {.page_bytes = 4'096});
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = stream({}, std::nullopt, [](FakeStream& out) { out.limit = 20'000; });
  client->out->reads = false;
  store_.append_txs(3'000);
  ASSERT_TRUE(run_until([&] {
    if (!client->out->queue.empty()) client->out->read_one();
    return client->out->closed || client->out->last_seq() == 3'000;
  }));
  EXPECT_EQ(client->out->seqs(), range(1, 3'000));
}

TEST_F(StreamTest, ASlowReaderIsCutOffWithTheNumberToResumeFrom) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = stream({}, std::nullopt, [](FakeStream& out) { out.limit = 500; });
  store_.append_txs(3);
  ASSERT_TRUE(has_seen(client, 3));
  client->out->reads = false;
  store::Seq last = 3;
  ASSERT_TRUE(run_until([&] {
    if (feed_->stats().newest >= last) last = store_.append_tx();
    return client->out->closed;
  }));
  EXPECT_THAT(client->out->text,
              HasSubstr("\n\n: cut off: the client reads too slowly; resume with Last-Event-ID 3\n\n"));
  ASSERT_TRUE(run_until([&] { return feed_->stats().streams == 0; }));
  const auto again = stream({}, "3");
  ASSERT_TRUE(has_seen(again, last));
  EXPECT_EQ(again->out->seqs(), range(4, last));
}

TEST_F(StreamTest, OneThatDoesNotTakeItsPageIsCutOffToo) {
  store_.append_txs(300);
  start(store_, {.kept_events = 10, .comment_every = milliseconds(30), .patience = milliseconds(1)});
  ASSERT_TRUE(wait_for_newest(300));
  const auto client = stream({{"after", "0"}}, std::nullopt, [](FakeStream& out) { out.reads = false; });
  ASSERT_TRUE(run_until([&] { return client->out->closed; }));
  EXPECT_EQ(client->out->seqs(), range(1, 100)) << "what it had got";
  EXPECT_THAT(client->out->text,
              HasSubstr(": cut off: the client reads too slowly; resume with Last-Event-ID 100\n\n"));
  EXPECT_EQ(feed_->stats().streams, 0U);
}

TEST_F(StreamTest, ACommentComesNowAndThen) {
  start(store_, {.comment_every = milliseconds(30)});
  ASSERT_TRUE(wait_for_newest(0));
  const auto client = stream({});
  ASSERT_TRUE(run_until([&] { return client->out->chunks >= 3; }));
  EXPECT_EQ(client->out->text.substr(0, 22), ": waiting for events\n\n");
}

TEST_F(StreamTest, StaysOpenWhileTheStoreIsAway) {
  store_.append_txs(200);
  start(store_, {.kept_events = 10, .comment_every = milliseconds(30), .retry_after = milliseconds(20)});
  ASSERT_TRUE(wait_for_newest(200));
  const auto live = stream({{"after", "200"}});
  const auto behind = stream({{"after", "0"}}, std::nullopt, [](FakeStream& out) { out.reads = false; });
  ASSERT_TRUE(run_until([&] { return !behind->out->queue.empty(); }));
  store_.set_away(true);
  ASSERT_TRUE(run_until([&] { return !feed_->stats().store_up; }));
  behind->out->reads = true;
  behind->out->drain();
  const auto chunks = live->out->chunks;
  ASSERT_TRUE(run_until([&] { return live->out->chunks >= chunks + 3; })) << "comments go on";
  EXPECT_EQ(stream({{"after", "1"}})->answer, std::nullopt) << "the store is asked first";
  EXPECT_EQ(behind->out->seqs().back(), 100);
  store_.set_away(false);
  store_.append_tx();
  ASSERT_TRUE(has_seen(live, 201));
  ASSERT_TRUE(has_seen(behind, 201));
  EXPECT_EQ(live->out->seqs(), range(201, 201));
  EXPECT_EQ(behind->out->seqs(), range(1, 201));
}

TEST_F(StreamTest, CannotBeginInTheStoreWhileThatIsAway) {
  store_.append_txs(200);
  start(store_, {.kept_events = 10});
  ASSERT_TRUE(wait_for_newest(200));
  store_.set_away(true);
  const auto client = stream({{"after", "1"}});
  ASSERT_TRUE(run_until([&] { return client->answer.has_value(); }));
  EXPECT_EQ(client->answer->status, 503U);
}

TEST_F(StreamTest, EndsWhenItsEventsArePrunedUnderway) {
  store_.append_txs(500);
  start(store_, {.kept_events = 10});
  ASSERT_TRUE(wait_for_newest(500));
  const auto client = stream({{"after", "0"}}, std::nullopt, [](FakeStream& out) { out.reads = false; });
  ASSERT_TRUE(run_until([&] { return !client->out->queue.empty(); }));
  store_.prune_up_to(400);
  client->out->reads = true;
  client->out->drain();
  ASSERT_TRUE(run_until([&] { return client->out->closed; }));
  EXPECT_EQ(client->out->seqs(), range(1, 100));
  EXPECT_THAT(client->out->text, HasSubstr(": events after 100 are no longer kept\n\n"));
}

TEST_F(StreamTest, StoppingEndsThemWithTheNumberToResumeFrom) {
  store_.append_txs(3);
  start(store_);
  ASSERT_TRUE(wait_for_newest(3));
  const auto client = stream({});
  ASSERT_TRUE(has_seen(client, 3));
  feed_->stop();
  ASSERT_TRUE(run_until([&] { return client->out->closed; }));
  EXPECT_THAT(client->out->text, HasSubstr(": the server is shutting down; resume with Last-Event-ID 3\n\n"));
  EXPECT_EQ(stream({})->answer->status, 503U);
}

TEST_F(StreamTest, AThousandGetAnEventAsOneChunkEach) {
  start(store_);
  ASSERT_TRUE(wait_for_newest(0));
  std::vector<std::shared_ptr<FakeClient>> clients;
  for (int i = 0; i < 1'000; ++i) clients.push_back(stream({}));
  const auto began = std::chrono::steady_clock::now();
  store_.append_tx();
  ASSERT_TRUE(run_until([&] { return clients.back()->out->chunks == 1; }));
  const auto took = std::chrono::steady_clock::now() - began;
  for (const auto& each : clients) EXPECT_EQ(each->out->seqs(), range(1, 1));
  EXPECT_LT(took, std::chrono::seconds(5)) << "the bench measures it; this finds a wait per client";
}

// Streams come, go, read and pause at random while events are appended and the ring is tiny: each gets each event once.
TEST_F(StreamTest, NeverHasAGapOrARepeat) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    util::Rng rng(seed);
    MemoryStore store;
    store.append_txs(static_cast<int>(rng.below(400)));
    start(store, {.kept_events = 1 + rng.below(60), .page_bytes = 1 + rng.below(3'000), .readers = 2});
    std::thread writer([&store, seed] {
      util::Rng own(seed + 1'000);
      for (int i = 0; i < 600; ++i) {
        store.append_tx(own.below(3) == 0 ? "rare" : "mine");
        if (own.below(20) == 0) std::this_thread::yield();
      }
    });
    struct Reader {
      std::shared_ptr<FakeClient> client;
      std::optional<std::string> wallet;
      store::Seq after = 0;
    };
    std::vector<Reader> readers;
    ASSERT_TRUE(wait_for_newest(0));
    for (int round = 0; round < 60; ++round) {
      const auto newest = static_cast<std::uint64_t>(feed_->stats().newest);
      Reader reader{.client = {}, .wallet = {}, .after = static_cast<store::Seq>(rng.below(newest + 1))};
      Query query{{"after", std::to_string(reader.after)}};
      if (rng.below(3) == 0) query.emplace_back("wallet", *(reader.wallet = "rare"));
      reader.client = stream(query, std::nullopt, [&](FakeStream& out) { out.reads = rng.below(2) == 0; });
      readers.push_back(reader);
      for (auto& each : readers) {
        auto& out = *each.client->out;
        if (rng.below(4) == 0 && !out.queue.empty()) out.read_one();
      }
      io_.restart();
      io_.poll();
    }
    writer.join();
    for (auto& each : readers) each.client->out->reads = true;
    for (auto& each : readers) each.client->out->drain();
    const store::Seq last = store.append_tx("rare");
    for (const auto& each : readers) {
      ASSERT_TRUE(has_seen(each.client, last));
      std::vector<store::Seq> wanted;
      for (const auto& event : store.events(each.after, 10'000, each.wallet)) wanted.push_back(event.seq);
      EXPECT_EQ(each.client->out->seqs(), wanted);
    }
    feed_.reset();
  }
}

TEST_F(StreamTest, GivesTheEventsOfRealFiles) {
  const TempDir dir;
  store::FileStore files(dir.file("wallets"), dir.file("events.sqlite"), chain::Network::Main);
  files.create("mine", {.contents = sample_contents(), .info = kWatchOnly, .secret = {}});
  const auto wallet = files.open("mine", store::Access::Write);
  const auto tell = [&](int count) {
    wallet::Changes changes;
    for (int i = 0; i < count; ++i) changes.events.emplace_back().net = i;
    store::WalletChanges batch{.wallet = wallet.get(), .changes = &changes};
    files.commit({&batch, 1}, 1'700'000'000);
  };
  tell(150);
  start(files, {.kept_events = 20});
  const auto newest = files.newest_event();
  ASSERT_TRUE(wait_for_newest(newest));
  const auto client = stream({});
  tell(30);
  ASSERT_TRUE(has_seen(client, newest + 30));
  std::vector<store::Seq> wanted;
  for (const auto& event : files.events(0, 1'000, std::nullopt)) wanted.push_back(event.seq);
  EXPECT_EQ(client->out->seqs(), wanted);
  feed_.reset();
}

}  // namespace
}  // namespace spv::test
