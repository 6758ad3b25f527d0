// Errands: requests from one process to the one that holds a wallet's shard. Workers, as processes see each other.
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/errand_table.h"
#include "tests/store/postgres/store_fixture.h"
#include "tests/support/long_tests.h"
#include "tests/support/temp_dir.h"
#include "util/ensure.h"
#include "util/rng.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = StoreError::Kind;

class ErrandsTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (!IsSkipped()) asker_ = process("asker");
  }
  void TearDown() override {
    asker_.reset();
    StoreTest::TearDown();
  }
  /// Asks on a thread of its own.
  struct Question {
    ErrandReply reply;
    std::thread thread;
    Question(Store& store, const std::string& wallet, const std::string& body, std::chrono::milliseconds timeout = 60s)
        : thread([this, &store, wallet, body, timeout] { reply = store.ask_holder(wallet, "test", body, timeout); }) {}
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question() {
      if (thread.joinable()) thread.join();
    }
    ErrandReply wait() {
      thread.join();
      return reply;
    }
  };
  bool waiting(int count) {
    return becomes("SELECT count(*) FROM errand WHERE state = 'waiting'", std::to_string(count));
  }
  std::string rows() { return sql("SELECT count(*) FROM errand"); }

  std::unique_ptr<DatabaseStore> asker_;
};

TEST_F(ErrandsTest, AreAnsweredByTheHolder) {
  const auto holder = process("holder");
  holder->share_wallets();
  const std::string body = "{\"to\":\"Zoë\"}";
  Question question(*asker_, "alice", body);
  const auto taken = holder->take_errands(60s);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].wallet, "alice");
  EXPECT_EQ(taken[0].kind, "test");
  EXPECT_EQ(taken[0].body, body);
  EXPECT_THAT(holder->take_errands(), IsEmpty()) << "once";
  holder->answer_errand(taken[0].id, "renamed");
  const ErrandReply reply = question.wait();
  EXPECT_EQ(reply.answer, "renamed");
  EXPECT_TRUE(reply.taken);
  EXPECT_EQ(rows(), "0");
}

TEST_F(ErrandsTest, WakeWhoWaitsForWallets) {
  const auto holder = process("holder");
  holder->share_wallets();
  while (!holder->wait_leased(0ms).empty()) {
  }
  std::optional<Question> question;
  std::thread later([&] { question.emplace(*asker_, "alice", "x"); });
  std::vector<Errand> taken;
  // Its connection may have to be made first, which wakes it once.
  for (int wakes = 0; wakes < 100 && taken.empty(); ++wakes) {
    EXPECT_TRUE(holder->wait_leased(60s).empty());
    taken = holder->take_errands();
  }
  later.join();
  ASSERT_THAT(taken, SizeIs(1));
  holder->answer_errand(taken[0].id, "");
  EXPECT_EQ(question->wait().answer, "");
}

TEST_F(ErrandsTest, GoToTheProcessThatHoldsTheShard) {
  const auto first = process("first");
  const auto second = process("second");
  asker_->create("alice", watch_only(1));
  const auto opened = first->open("alice", Access::Write);
  second->share_wallets();  // all other shards
  Question question(*asker_, "alice", "x");
  ASSERT_TRUE(waiting(1));
  EXPECT_THAT(second->take_errands(), IsEmpty());
  const auto taken = first->take_errands();
  ASSERT_THAT(taken, SizeIs(1));
  first->answer_errand(taken[0].id, "mine");
  EXPECT_EQ(question.wait().answer, "mine");
}

TEST_F(ErrandsTest, AreTakenInTheirOrderAndAFewAtATime) {
  const auto holder = process("holder");
  holder->share_wallets();
  std::vector<std::unique_ptr<Question>> questions;
  constexpr int kQuestions = 20;
  for (int n = 0; n < kQuestions; ++n) {
    questions.push_back(std::make_unique<Question>(*asker_, "w" + std::to_string(n), std::to_string(n)));
    ASSERT_TRUE(waiting(n + 1));
  }
  std::vector<std::string> order;
  for (auto taken = holder->take_errands(); !taken.empty(); taken = holder->take_errands()) {
    EXPECT_LE(taken.size(), 16U);
    for (const auto& each : taken) {
      order.push_back(each.body);
      holder->answer_errand(each.id, each.body);
    }
  }
  ASSERT_THAT(order, SizeIs(kQuestions));
  for (int n = 0; n < kQuestions; ++n) {
    EXPECT_EQ(order[static_cast<std::size_t>(n)], std::to_string(n));
    EXPECT_EQ(questions[static_cast<std::size_t>(n)]->wait().answer, std::to_string(n));
  }
}

TEST_F(ErrandsTest, ThatWereTakenAndNotAnsweredAreToldApart) {
  const auto holder = process("holder");
  holder->share_wallets();
  Connection connection = connect();
  const ErrandId id = post_errand(connection, "alice", "test", "x", 1h);
  EXPECT_FALSE(read_reply(connection, id, false).taken);
  ASSERT_THAT(holder->take_errands(), SizeIs(1));
  for (int twice = 0; twice < 2; ++twice) {
    const ErrandReply reply = read_reply(connection, id, true);
    EXPECT_FALSE(reply.answer);
    EXPECT_TRUE(reply.taken);
  }
  holder->answer_errand(id, "too late");
  EXPECT_EQ(read_reply(connection, id, true).answer, "too late");
  EXPECT_EQ(rows(), "0");
}

TEST_F(ErrandsTest, ThatWereWithdrawnAreNotTaken) {
  const auto holder = process("holder");
  holder->share_wallets();
  Connection connection = connect();
  const ErrandId id = post_errand(connection, "alice", "test", "x", 1h);
  EXPECT_FALSE(read_reply(connection, id, true).taken);
  EXPECT_THAT(holder->take_errands(), IsEmpty());
  EXPECT_EQ(rows(), "0");
}

// Its process died while it waited: nobody must carry it out when it is too late.
TEST_F(ErrandsTest, OfAProcessThatDiedExpire) {
  const auto holder = process("holder");
  holder->share_wallets();
  Connection connection = connect();
  post_errand(connection, "alice", "test", "x", 1h);
  sql("UPDATE errand SET expires = clock_timestamp()");
  EXPECT_THAT(holder->take_errands(), IsEmpty());
  EXPECT_EQ(rows(), "1");
  sql("UPDATE errand SET expires = clock_timestamp() - interval '11 minutes'");
  const ErrandId other = post_errand(connection, "bob", "test", "y", 1h);
  EXPECT_EQ(sql("SELECT id FROM errand"), std::to_string(other)) << "old ones are deleted";
}

TEST_F(ErrandsTest, AreBounded) {
  EXPECT_EQ(kind_of_error([&] {
              static_cast<void>(asker_->ask_holder("alice", "x", std::string(kMaxErrandText + 1, 'x'), 1ms));
            }),
            Kind::Constraint);
  EXPECT_EQ(kind_of_error([&] { asker_->answer_errand(1, std::string(kMaxErrandText + 1, 'x')); }), Kind::Constraint);
  EXPECT_EQ(kind_of_error([&] { static_cast<void>(asker_->ask_holder("alice", std::string(65, 'x'), "", 1ms)); }),
            Kind::Constraint);
  EXPECT_FALSE(asker_->ask_holder("alice", "x", std::string(kMaxErrandText, 'x'), 1ms).taken);
  EXPECT_EQ(rows(), "0");
}

// The one that slept through its lease has the shard no more, and does not know yet.
TEST_F(ErrandsTest, AreRefusedToAZombie) {
  const auto zombie = process("zombie");
  zombie->share_wallets();
  expire_leases();
  const auto heir = process("heir");
  heir->share_wallets();
  Question question(*asker_, "alice", "x");
  ASSERT_TRUE(waiting(1));
  EXPECT_THAT(zombie->take_errands(), IsEmpty());
  const auto taken = heir->take_errands();
  ASSERT_THAT(taken, SizeIs(1));
  heir->answer_errand(taken[0].id, "mine");
  EXPECT_EQ(question.wait().answer, "mine");
}

TEST_F(ErrandsTest, OneOfThoseThatShareLeads) {
  const auto first = process("first", 2s);
  EXPECT_FALSE(first->leads()) << "it does not share yet";
  first->share_wallets();
  EXPECT_TRUE(first->leads());
  auto second = process("second", 2s);
  second->share_wallets();
  EXPECT_TRUE(first->leads());
  EXPECT_FALSE(second->leads());
  EXPECT_FALSE(asker_->leads());
  ASSERT_TRUE(becomes("SELECT count(*) FROM shard JOIN worker ON worker.id = worker WHERE name = 'second'", "128"));
  EXPECT_FALSE(second->leads());
}

TEST_F(ErrandsTest, TheLeaderIsFollowedByAnother) {
  auto first = process("first", 2s);
  first->share_wallets();
  const auto second = process("second", 2s);
  second->share_wallets();
  first.reset();
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!second->leads() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(second->leads());
}

TEST_F(ErrandsTest, AZombieDoesNotLead) {
  const auto zombie = process("zombie");
  zombie->share_wallets();
  expire_leases();
  EXPECT_FALSE(zombie->leads()) << "its lease has ended, though nobody has taken it over";
}

// Who holds shard 0 for a command only does not post webhooks.
TEST_F(ErrandsTest, ACommandDoesNotLead) {
  std::string name;
  for (int n = 0; shard_of(name = "w" + std::to_string(n)) != 0; ++n) {
  }
  asker_->create(name, watch_only(1));
  const auto opened = asker_->open(name, Access::Write);
  EXPECT_FALSE(asker_->leads());
  const auto worker = process("worker");
  worker->share_wallets();
  EXPECT_FALSE(worker->leads());
}

TEST_F(ErrandsTest, WorkersAreListed) {
  EXPECT_THAT(asker_->workers(), IsEmpty());
  for (const char* name : {"alice", "bob", "carol"}) asker_->create(name, watch_only(1));
  const auto first = process("first", 300ms);
  first->share_wallets();
  EXPECT_THAT(first->wait_leased(60s).taken, SizeIs(3));
  OpenedWallet alice(*first, "alice");
  commit(*first, alice, payment_at(alice.wallet, 12));
  const auto shown = [&](std::size_t wallets) {
    const auto all = asker_->workers();
    return all.size() == 1 && all[0].wallets == wallets && all[0].height == 12;
  };
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!shown(3) && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(5ms);
  const auto all = asker_->workers();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_TRUE(shown(3));
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_EQ(all[0].host, host.data());
  EXPECT_EQ(all[0].id, std::stoll(sql("SELECT id FROM worker WHERE name = 'first'")));
  EXPECT_EQ(std::to_string(all[0].started), sql("SELECT extract(epoch FROM started)::bigint FROM worker"));
  EXPECT_GE(all[0].seen, all[0].started);
  expire_leases();
  EXPECT_TRUE(becomes("SELECT alive_until > clock_timestamp() FROM worker", "t")) << "it renews";
}

// Holders that are killed at any moment: what was answered was carried out once, what nobody took was not, and nothing
// twice.
class ErrandKills : public ErrandsTest {
 protected:
  static constexpr auto kLease = 600ms;

  /// Takes errands and carries them out: writes a line for each.
  static void hold(DatabaseStore& store, const std::string& log, const std::atomic<bool>& stop) {
    store.share_wallets();
    std::ofstream out(log, std::ios::app);
    while (!stop) {
      static_cast<void>(store.wait_leased(0ms));
      for (const auto& errand : store.take_errands(50ms)) {
        out << errand.body << std::endl;
        store.answer_errand(errand.id, "done");
      }
    }
  }
  /// In a process of its own, until it is killed.
  pid_t start_holder(const std::string& log) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      const std::atomic<bool> never = false;
      hold(*process("killed", kLease), log, never);
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
};

TEST_F(ErrandKills, T7_NeverLeadToASecondExecution) {
  util::Rng rng(11);
  const test::TempDir folder;
  const std::string log = folder.file("done");
  std::map<std::string, ErrandReply> replies;
  std::mutex mutex;
  const std::uint64_t rounds = test::repeats(4, 100);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const pid_t child = start_holder(log);
    ASSERT_TRUE(
        becomes("SELECT count(*) > 0 FROM worker JOIN shard ON shard.worker = worker.id WHERE name = 'killed'"
                " AND lease_until > clock_timestamp()",
                "t"));
    std::atomic<bool> stop = false;
    std::thread heir([&] { hold(*process("heir", kLease), log, stop); });
    std::vector<std::thread> askers;
    for (int n = 0; n < 12; ++n) {
      askers.emplace_back([&, body = std::to_string(round) + "-" + std::to_string(n)] {
        const auto store = process("asks");
        const auto reply = store->ask_holder("w" + body, "test", body, 4s);
        const std::lock_guard lock(mutex);
        replies[body] = reply;
      });
    }
    ::usleep(static_cast<useconds_t>(rng.below(600'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (auto& asker : askers) asker.join();
    stop = true;
    heir.join();
    ASSERT_TRUE(
        becomes("SELECT count(*) FROM worker JOIN shard ON shard.worker = worker.id"
                " WHERE lease_until > clock_timestamp()",
                "0"));
  }
  std::map<std::string, int> done;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) ++done[line];
  int answered = 0;
  for (const auto& [body, reply] : replies) {
    EXPECT_LE(done[body], 1) << body;
    EXPECT_TRUE(!reply.answer || done[body] == 1) << body;
    EXPECT_TRUE(reply.taken || done[body] == 0) << body;
    if (reply.answer) ++answered;
  }
  EXPECT_THAT(replies, SizeIs(rounds * 12));
  EXPECT_GT(answered, 0);
  RecordProperty("answered", answered);
}

}  // namespace
}  // namespace spv::store::postgres
