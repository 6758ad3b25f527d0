// Three workers follow the wallets of one database while payments, blocks and reorganisations come. They are killed and
// stopped for longer than their leases, and the database is restarted: every state of every payment is told once, in
// order for each wallet, the chain is told as one story, and every balance is right. A thousand wallets with
// SPV_LONG_TESTS=1.
#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "client/new_wallet.h"
#include "store/postgres/database_store.h"
#include "tests/integration/chain_story.h"
#include "tests/support/bitcoind.h"
#include "tests/support/long_tests.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "util/hex.h"
#include "util/overloaded.h"
#include "util/rng.h"

namespace spv::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kAmount = 10'000;

class WorkerProcess {
 public:
  WorkerProcess(const TempDir& folder, const std::string& name, const std::string& node, const std::string& database)
      : folder_(folder), name_(name), node_(node), database_(database), fifo_(folder.file(name + ".in")) {
    ::mkfifo(fifo_.c_str(), 0600);
    input_ = ::open(fifo_.c_str(), O_RDWR | O_CLOEXEC);
    start();
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess() { ::close(input_); }

  void start() {
    child_.emplace(std::vector<std::string>{"sh", "-c", R"(exec "$0" "$1" regtest "$2" "$3" < "$4")", SPV_WORKER,
                                            folder_.file(name_), node_, database_, fifo_},
                   output());
  }
  void kill() {
    child_->signal(SIGKILL);
    EXPECT_EQ(child_->wait(30s), 128 + SIGKILL) << "it must not have ended by itself: " << text();
  }
  void signal(int number) { child_->signal(number); }
  [[nodiscard]] bool running() { return child_->running(); }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream(output()).rdbuf();
    return all.str();
  }

 private:
  [[nodiscard]] std::string output() const { return folder_.file(name_ + ".out"); }

  const TempDir& folder_;
  std::string name_;
  std::string node_;
  std::string database_;
  std::string fifo_;
  int input_ = -1;
  std::optional<ChildProcess> child_;
};

class Workers : public testing::Test {
 protected:
  void SetUp() override {
    SPV_BITCOIND_OR_SKIP();
    SPV_POSTGRES_OR_SKIP();
    node_.emplace(BitcoindOptions{.arguments = {"-whitelist=noban@127.0.0.1", "-maxconnections=200"}});
    story_.emplace(*node_);
    cluster_.emplace();
    url_ = cluster_->url(cluster_->create_database());
    node_->mine(120);
    node_->rpc("createwallet", "payees");  // of its own: the miner would spend what it pays itself
    store_ = open_store();
    for (std::size_t i = 0; i < repeats(40, 1'000); ++i) add_wallet();
    for (const char* name : {"one", "two", "three"}) {
      workers_.push_back(std::make_unique<WorkerProcess>(folder_, name, node_->address(), url_));
    }
  }

  [[nodiscard]] std::shared_ptr<store::Store> open_store() const {
    return std::make_shared<store::postgres::DatabaseStore>(*store::postgres::parse_database_url(url_),
                                                            chain::Network::Regtest);
  }

  void add_wallet() {
    const std::string address(node_->wallet_rpc("payees", "getnewaddress", "", "bech32").as_string());
    client::NewWallet wallet;
    client::add_pairs(*wallet::Descriptor::parse("addr(" + address + ")", chain::params(chain::Network::Regtest)),
                      wallet.chains);
    const std::string name = "w" + std::to_string(addresses_.size());
    store_->create(name, client::to_stored(chain::Network::Regtest, std::move(wallet)));
    addresses_.push_back(address);
  }

  void pay_one(util::Rng& rng) {
    const auto wallet = rng.below(addresses_.size());
    paid_[node_->send(addresses_[wallet], kAmount)].push_back(wallet);
  }
  void pay_all() {
    boost::json::object amounts;
    for (const auto& address : addresses_) amounts[address] = to_btc(kAmount);
    const auto txid = node_->wallet_rpc(Bitcoind::kWallet, "sendmany", "", amounts);
    auto& wallets = paid_[std::string(txid.as_string())];
    for (std::size_t i = 0; i < addresses_.size(); ++i) wallets.push_back(i);
  }
  void act(util::Rng& rng) {
    const auto what = rng.below(6);
    if (what <= 2) return pay_one(rng);
    if (what == 3) return pay_all();
    if (what == 5) node_->invalidate_block(node_->best_block());
    node_->mine(what == 5 ? 2 : 1);
  }
  void act_for_a_while(util::Rng& rng, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    do {
      act(rng);
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(300)));  // any moment will do
    } while (std::chrono::steady_clock::now() < end);
  }
  /// A reorganisation may have made a coinbase immature that a payment spends, or its parent: both are sent again.
  void confirm_all() {
    for (int tries = 0; tries < 20 && !send_again().empty(); ++tries) node_->mine(1);
    EXPECT_EQ(send_again(), "");
    node_->mine(3);
  }
  /// What has no confirmation; gives one of them.
  std::string send_again() {
    std::string one;
    for (const auto& [txid, wallets] : paid_) {
      const auto sent = node_->wallet_rpc(Bitcoind::kWallet, "gettransaction", txid);
      if (sent.at("confirmations").as_int64() > 0) continue;
      one = txid;
      try {
        node_->rpc("sendrawtransaction", sent.at("hex"));
      } catch (const RpcError&) {  // it is in the mempool, or its parent has to come first
      }
    }
    return one;
  }
  /// The first payment that was not told as confirmed.
  [[nodiscard]] std::string first_missing() const {
    for (const auto& [txid, wallets] : paid_) {
      for (const auto wallet : wallets) {
        const auto found = states_.find({"w" + std::to_string(wallet), txid});
        if (found == states_.end()) return "w" + std::to_string(wallet) + " was never told of " + txid;
        if (found->second.state != wallet::TxStanding::Confirmed) {
          return "w" + std::to_string(wallet) + " has " + txid + " as " + std::string(to_string(found->second.state));
        }
      }
    }
    return "none";
  }

  using Key = std::pair<std::string, std::string>;  // wallet, txid
  /// Reads what is new of the log, and checks the order.
  void read_log() {
    for (;;) {
      const auto events = store_->events(last_, 1'000, std::nullopt);
      if (events.empty()) return;
      for (const auto& each : events) {
        ASSERT_EQ(each.seq, last_ + 1) << "a number is missing";
        last_ = each.seq;
        std::visit(util::Overloaded{[&](const wallet::TxEvent& tx) { hear_payment(each.wallet, tx); },
                                    [&](const store::TipEvent& tip) {
                                      story_->hear_tip(util::to_string(tip.block.hash), tip.block.height);
                                    },
                                    [&](const store::ReorgEvent& reorg) {
                                      story_->hear_reorg(util::to_string(reorg.from), util::to_string(reorg.to),
                                                         reorg.fork_height);
                                    },
                                    [&](const store::WalletEvent& told) { ++wallets_[each.wallet][told.state]; }},
                   each.data);
      }
    }
  }
  void hear_payment(const std::string& wallet, const wallet::TxEvent& told) {
    const Key key{wallet, util::to_string(told.txid)};
    const auto before = states_.find(key);
    if (before != states_.end()) {
      EXPECT_TRUE(before->second.state != told.state || before->second.confirmation != told.confirmation)
          << wallet << " is told the same twice about " << key.second;
    }
    EXPECT_EQ(told.net, kAmount) << wallet << ' ' << key.second;
    states_[key] = told;
  }
  /// The tip of the node, and that each wallet is synced.
  [[nodiscard]] bool all_is_told() {
    return all_confirmed() && story_->tip() == node_->best_block() && wallets_.size() == addresses_.size() &&
           std::ranges::all_of(wallets_, [](const auto& each) { return each.second.size() == 2; });
  }
  [[nodiscard]] std::size_t wanted() const {
    std::size_t out = 0;
    for (const auto& [txid, wallets] : paid_) out += wallets.size();
    return out;
  }
  [[nodiscard]] bool all_confirmed() {
    read_log();
    return states_.size() == wanted() && std::ranges::all_of(states_, [](const auto& each) {
             return each.second.state == wallet::TxStanding::Confirmed;
           });
  }
  /// Of each wallet, by the view that people query.
  void expect_balances(const std::string& database) {
    std::vector<std::int64_t> expected(addresses_.size());
    for (const auto& [txid, wallets] : paid_) {
      for (const auto wallet : wallets) expected[wallet] += kAmount;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(cluster_->sql(database, "SELECT confirmed FROM balance WHERE wallet = 'w" + std::to_string(i) + "'"),
                std::to_string(expected[i]))
          << "w" << i;
    }
  }
  [[nodiscard]] std::string said() const {
    std::string out;
    for (const auto& worker : workers_) out += worker->text();
    return out;
  }

  TempDir folder_;
  std::optional<Bitcoind> node_;
  std::optional<PostgresCluster> cluster_;
  std::string url_;
  std::shared_ptr<store::Store> store_;
  std::vector<std::string> addresses_;
  std::map<std::string, std::vector<std::size_t>> paid_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  store::Seq last_ = 0;
  std::map<Key, wallet::TxEvent> states_;
  std::optional<ChainStory> story_;
  std::map<std::string, std::map<store::WalletState, int>> wallets_;  // how often each was told
};

TEST_F(Workers, EachStateIsToldOnceWhateverHappensToThem) {
  util::Rng rng(23);
  act_for_a_while(rng, 3s);
  workers_[0]->kill();
  act_for_a_while(rng, 2s);
  workers_[1]->signal(SIGSTOP);  // for longer than its lease: others take its wallets over
  act_for_a_while(rng, 14s);
  workers_[0]->start();
  workers_[1]->signal(SIGCONT);
  act_for_a_while(rng, 2s);
  cluster_->stop();
  act_for_a_while(rng, 2s);
  cluster_->start();
  store_ = open_store();
  for (int i = 0; i < 3; ++i) add_wallet();
  act_for_a_while(rng, 2s);
  cluster_->kill();
  cluster_->start();
  store_ = open_store();
  act_for_a_while(rng, 2s);
  workers_[2]->kill();
  confirm_all();
  const auto end = std::chrono::steady_clock::now() + 120s;
  while (!all_is_told() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(200ms);
  ASSERT_TRUE(all_confirmed()) << states_.size() << " of " << wanted() << ", " << first_missing() << "\n" << said();
  EXPECT_EQ(story_->tip(), node_->best_block());
  using enum store::WalletState;
  const std::map<store::WalletState, int> once{{Added, 1}, {Synced, 1}};
  for (std::size_t i = 0; i < addresses_.size(); ++i) EXPECT_EQ(wallets_["w" + std::to_string(i)], once) << "w" << i;
  for (const std::size_t alive : {0U, 1U}) EXPECT_TRUE(workers_[alive]->running()) << workers_[alive]->text();
  expect_balances(store::postgres::parse_database_url(url_)->name);
}

}  // namespace
}  // namespace spv::test
