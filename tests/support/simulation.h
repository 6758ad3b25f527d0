// Simulation: whole syncs in virtual time, without sockets. One client (engine, header chain, wallet) and any number
// of FakeNodes; every message goes through its wire form and arrives after a latency drawn from the seed.
// A run is a function of its seed and its steps: same seed, same trace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "chain/header_chain.h"
#include "p2p/message_reader.h"
#include "sync/engine/engine.h"
#include "sync/watch/wallet_group.h"
#include "tests/support/action_digest.h"
#include "tests/support/fake_node.h"
#include "tests/support/fake_peer.h"
#include "util/rng.h"
#include "wallet/wallet.h"

namespace spv::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// True where SPV_WATCHER=group is set: the wallet then has another one beside it.
bool uses_group();
/// Whole blocks where SPV_SOURCE=blocks is set, compact filters where SPV_SOURCE=compact is; in a filter no more
/// elements than SPV_MOST_ELEMENTS says.
sync::SourceOptions source_from_environment();

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::uint32_t gap_limit = 20;
  chain::Height birthday = 1;
  double fp_rate = bip37::kDefaultFpRate;
  util::Duration mempool_wait = util::Duration::zero();
  bool follow = false;
  sync::CrossCheckMode cross_check = sync::CrossCheckMode::Off;
  /// A second wallet, which gets nothing, stands beside it; as SPV_WATCHER says.
  bool group = uses_group();
  /// As SPV_SOURCE says, for scenarios that must end alike either way.
  sync::SourceOptions source = source_from_environment();
  /// Where nodes are known from, with so many connections wanted; null: the client is told of every node.
  p2p::AddressBook* book = nullptr;
  std::size_t wanted = 1;
  /// Of the network's chain.
  std::uint64_t minimum_work = 0;
  sync::EngineOptions::Errands errands{};
  /// One way, of a link; each message draws its own.
  util::Duration min_latency = milliseconds(5);
  util::Duration max_latency = milliseconds(40);
  /// Between two messages of one direction of a link.
  util::Duration spacing = std::chrono::microseconds(50);
};

/// A node of the simulated network and what its links are like.
class SimulatedNode {
 public:
  explicit SimulatedNode(ChainBuilder chain, std::uint64_t services) : fake(std::move(chain), services) {}

  FakeNode fake;
  bool reachable = true;    // false: connections are refused
  bool mute = false;        // nothing leaves it any more, connections stay open
  bool black_hole = false;  // connecting to it neither works nor fails
  util::Duration pause{};   // between two of its messages, beyond what is usual
};

class Simulation {
 public:
  explicit Simulation(SimulationOptions options);

  // --- the network ------------------------------------------------------------------------------------------------
  /// A node that the client knows from its next start on.
  SimulatedNode& add_node(ChainBuilder chain, std::uint64_t services = FakeNode::kDefaultServices);
  SimulatedNode& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  /// What a node is called in a book.
  [[nodiscard]] static p2p::NetAddress address_of(std::size_t node);
  /// Gives a node another chain and lets it tell its peers.
  void set_chain(std::size_t node, ChainBuilder chain);
  void mine(std::size_t node, std::vector<chain::Transaction> txs = {});
  /// Ends the connections of a node as seen by both sides.
  void cut(std::size_t node);
  /// Cuts and refuses from now on.
  void kill(std::size_t node);
  /// Does something at a time from now.
  void after(util::Duration delay, std::function<void()> what);

  // --- running ----------------------------------------------------------------------------------------------------
  /// Starts the client if it does not run, and goes on until it says Finished; false if that takes longer.
  bool run_until_finished(util::Duration limit = std::chrono::minutes(30));
  void run_for(util::Duration duration);
  /// Runs until so many commits were made since the client's start, or it finished; true if they were.
  bool run_until_commits(std::size_t commits, util::Duration limit = std::chrono::minutes(30));
  /// Ends the client at once, as kill -9 does; what was committed stays, and is what the next start begins with.
  void stop();
  /// Ends the client as a signal does: what was verified is committed first.
  void shut_down();
  /// Another wallet for the client, as it runs; its changes are committed nowhere. The engine hears of it after a
  /// while, as from another thread.
  void add_wallet(sync::MemberId id, wallet::Wallet& wallet, util::Duration noticed_after = {});
  void remove_wallet(sync::MemberId id);
  /// Starts the client if it does not run.
  void request_broadcast(sync::BroadcastRequested request);
  void request_fees();
  /// Headers are lost, as if their file had been deleted. The client must be stopped.
  void forget_headers();

  // --- the client -------------------------------------------------------------------------------------------------
  SimulationOptions options;
  /// Called for every event, when it is told.
  std::function<void(const sync::Event&)> on_event;
  [[nodiscard]] bool running() const { return client_ != nullptr; }
  [[nodiscard]] const wallet::WalletConfig& config() const { return config_; }
  [[nodiscard]] const wallet::Wallet& wallet() const { return *wallet_; }
  /// The wallet as a restart would read it.
  [[nodiscard]] wallet::Wallet committed_wallet() const { return {config_, committed_}; }
  [[nodiscard]] const wallet::WalletState& committed() const { return committed_; }
  [[nodiscard]] const chain::HeaderChain& headers() const { return *headers_; }
  [[nodiscard]] sync::Engine& engine() { return client_->engine; }
  /// Counters of the client that runs or ran last.
  [[nodiscard]] const sync::ScanCounters& counters() const { return counters_; }
  [[nodiscard]] std::uint64_t reorganisations() const { return reorganisations_; }
  [[nodiscard]] const std::vector<sync::Event>& events() const { return events_; }
  /// Set once the client has finished.
  [[nodiscard]] const std::optional<sync::Finished>& finished() const { return finished_; }
  [[nodiscard]] const std::vector<sync::DisconnectReason>& disconnects() const { return disconnects_; }
  [[nodiscard]] std::size_t commits() const { return commits_; }
  /// The latest connection to a node; null if there was none.
  [[nodiscard]] const FakePeer* connection(std::size_t node) const;
  [[nodiscard]] std::size_t open_connections() const;

  [[nodiscard]] util::TimePoint now() const { return now_; }
  [[nodiscard]] util::Duration elapsed() const { return now_ - started_; }
  /// Ticks at which nothing was due to happen: a driver would spin.
  [[nodiscard]] std::size_t ticks() const { return ticks_; }
  /// A digest of everything that went in and out so far.
  [[nodiscard]] util::Hash256 trace() const { return trace_; }
  /// What the client ordered and committed, over all its starts.
  [[nodiscard]] const ActionDigest& digest() const { return digest_; }

 private:
  static constexpr sync::MemberId kFirstMember = 1;
  static constexpr sync::MemberId kCompanion = 2;
  struct Client {
    Client(sync::EngineOptions engine_options, chain::HeaderChain& chain, wallet::Wallet& wallet,
           wallet::Wallet* companion, util::Rng rng, bip158::FilterHeaderStore* filter_headers)
        : group(util::Rng(7)),
          engine(std::move(engine_options), chain, filled(wallet, companion), rng, filter_headers) {}
    sync::Watcher& filled(wallet::Wallet& wallet, wallet::Wallet* companion) {
      group.add(kFirstMember, wallet);
      if (companion != nullptr) group.add(kCompanion, *companion);
      return group;
    }
    sync::WalletGroup group;
    sync::Engine engine;
  };
  struct Connection {
    Connection(std::size_t node_index, FakeNode& fake, const p2p::Magic& magic)
        : node(node_index), peer(fake), at_node(magic), at_client(magic) {}
    std::size_t node;
    FakePeer peer;
    p2p::MessageReader at_node;
    p2p::MessageReader at_client;
    util::TimePoint to_node{};
    util::TimePoint to_client{};
    bool open = true;
  };
  struct Scheduled {
    util::TimePoint at;
    std::uint64_t number = 0;
    std::function<void()> what;
    bool operator>(const Scheduled& other) const { return at != other.at ? at > other.at : number > other.number; }
  };

  void start();
  bool run_while(util::TimePoint until, const std::function<bool()>& wanted);
  [[nodiscard]] util::Now instant() const;
  [[nodiscard]] util::Duration latency();
  void at(util::TimePoint when, std::function<void()> what);

  void feed(sync::Input&& input);
  void perform(const std::vector<sync::Action>& actions);
  void perform(const sync::Connect& action);
  void perform(const sync::Send& action);
  void perform(const sync::Disconnect& action);
  void perform(const sync::Persist& action);
  void perform(const sync::Notify& action);
  void perform(const sync::FindPeers& /*action*/) {}

  Connection* open_connection(sync::PeerId peer);
  void deliver_to_node(sync::PeerId peer, const util::Bytes& frame);
  void deliver_to_client(sync::PeerId peer, const util::Bytes& frame);
  void answer(sync::PeerId peer, Reply reply);
  void trickle(sync::PeerId peer);
  void hang_up(sync::PeerId peer);
  void note(std::string_view what, std::uint64_t number, util::ByteView bytes = {});

  util::Rng rng_;
  chain::NetworkParams params_;
  wallet::WalletConfig config_;
  wallet::WalletState committed_;
  wallet::WalletConfig companion_config_;
  wallet::WalletState companion_committed_;
  std::unique_ptr<chain::MemoryHeaderStore> header_store_;
  std::unique_ptr<bip158::MemoryFilterHeaders> filter_headers_;
  std::unique_ptr<chain::HeaderChain> headers_;
  std::unique_ptr<wallet::Wallet> wallet_;
  std::unique_ptr<wallet::Wallet> companion_;
  std::unique_ptr<Client> client_;
  std::uint64_t life_ = 0;  // which start of the client this is: what was on its way to an earlier one is lost

  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
  std::map<sync::PeerId, Connection> connections_;

  util::TimePoint now_;
  util::TimePoint started_;
  std::priority_queue<Scheduled, std::vector<Scheduled>, std::greater<>> queue_;
  std::uint64_t scheduled_ = 0;
  std::size_t ticks_ = 0;
  util::Hash256 trace_{};
  ActionDigest digest_;

  std::vector<sync::Event> events_;
  std::vector<sync::DisconnectReason> disconnects_;
  std::optional<sync::Finished> finished_;
  sync::ScanCounters counters_;
  std::uint64_t reorganisations_ = 0;
  std::size_t commits_ = 0;
};

/// The wallet of every simulation: wpkh, receive chain 0 and change chain 1.
wallet::WalletConfig simulation_wallet(std::uint32_t gap_limit, chain::Height birthday);
/// Writes changes into a state as a database would.
void apply_changes(wallet::WalletState& state, const wallet::Changes& changes);

}  // namespace spv::test
