#include "tests/support/simulation.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/support/scripts.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"
#include "util/overloaded.h"

namespace spv::test {
namespace {

// The public key of BIP32's first test vector.
constexpr const char* kXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
constexpr util::UnixTime kWallStart = 1'700'000'000;
constexpr std::uint16_t kFirstPort = 1'000;  // of the first node, in a book
constexpr util::Duration kRefusalDelay = milliseconds(2);
// A client that asks to be woken so often without anything happening spins.
constexpr std::size_t kMaxTicksAtOnce = 20;

}  // namespace

wallet::WalletConfig simulation_wallet(std::uint32_t gap_limit, chain::Height birthday) {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  config.gap_limit = gap_limit;
  config.birthday = birthday;
  config.filter = {.tweak = 0x1234'5678, .decoy_seed = 99};
  const auto text = "wpkh(" + std::string(kXpub) + "/<0;1>/*)";
  const auto descriptors = wallet::Descriptor::parse(text, chain::params(chain::Network::Main)).value();
  for (const auto& descriptor : descriptors) {
    config.key_chains.push_back({.descriptor = descriptor, .change = !config.key_chains.empty()});
  }
  return config;
}

void apply_changes(wallet::WalletState& state, const wallet::Changes& changes) {
  for (const auto& record : changes.transactions) {
    const auto held = std::find_if(state.transactions.begin(), state.transactions.end(),
                                   [&](const auto& r) { return r.txid == record.txid; });
    if (held == state.transactions.end()) {
      state.transactions.push_back(record);
    } else {
      *held = record;
    }
  }
  for (const auto& change : changes.key_chains) state.key_chains[change.chain] = change.state;
  if (changes.scan) state.scan = *changes.scan;
}

namespace {

wallet::WalletConfig companion_wallet(chain::Height birthday) {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  config.birthday = birthday;
  const auto text = "raw(" + util::to_hex(p2wpkh(util::Bytes(20, 0xC7))) + ")";
  config.key_chains.push_back(
      {wallet::Descriptor::parse(text, chain::params(chain::Network::Regtest)).value().front(), false});
  return config;
}

}  // namespace

bool uses_group() {
  static const char* const wanted = std::getenv("SPV_WATCHER");
  return wanted != nullptr && std::string_view(wanted) == "group";
}

sync::SourceOptions source_from_environment() {
  const char* wanted = std::getenv("SPV_SOURCE");
  sync::SourceOptions source;
  if (wanted != nullptr && std::string_view(wanted) == "blocks") source.mode = sync::SourceMode::Blocks;
  if (wanted != nullptr && std::string_view(wanted) == "compact") source.mode = sync::SourceMode::Compact;
  if (const char* most = std::getenv("SPV_MOST_ELEMENTS")) source.most_elements = std::strtoull(most, nullptr, 10);
  return source;
}

Simulation::Simulation(SimulationOptions options_given)
    : options(options_given),
      rng_(options_given.seed),
      params_(chain::params(chain::Network::Regtest)),
      config_(simulation_wallet(options.gap_limit, options.birthday)),
      committed_(wallet::Wallet::fresh_state(config_)),
      companion_config_(companion_wallet(options.birthday)),
      companion_committed_(wallet::Wallet::fresh_state(companion_config_)),
      now_(util::TimePoint{} + seconds(1'000)),
      started_(now_) {
  params_.minimum_chain_work = options.minimum_work;
  forget_headers();
  wallet_ = std::make_unique<wallet::Wallet>(config_, committed_);
}

void Simulation::forget_headers() {
  util::ensure(!running(), "headers are lost only while the client does not run");
  headers_.reset();
  header_store_ = std::make_unique<chain::MemoryHeaderStore>(0, params_.genesis, chain::Uint256(2));
  filter_headers_ = std::make_unique<bip158::MemoryFilterHeaders>(0);
  headers_ = std::make_unique<chain::HeaderChain>(params_, *header_store_);
}

SimulatedNode& Simulation::add_node(ChainBuilder chain, std::uint64_t services) {
  if (options.source.mode == sync::SourceMode::Compact) services |= p2p::services::kCompactFilters;
  return *nodes_.emplace_back(std::make_unique<SimulatedNode>(std::move(chain), services));
}

p2p::NetAddress Simulation::address_of(std::size_t node) {
  p2p::NetAddress address;
  address.bytes = {11, static_cast<std::uint8_t>(node), 1, 1};
  address.port = static_cast<std::uint16_t>(kFirstPort + node);
  return address;
}

void Simulation::set_chain(std::size_t node, ChainBuilder chain) {
  nodes_[node]->fake.set_chain(std::move(chain));
  for (const auto& [id, connection] : connections_) {
    if (connection.node != node || !connection.open) continue;
    after(milliseconds(1), [this, id = id] {
      if (Connection* open = open_connection(id)) answer(id, open->peer.announce_tip());
    });
  }
}

void Simulation::mine(std::size_t node, std::vector<chain::Transaction> txs) {
  ChainBuilder longer = nodes_[node]->fake.chain();
  longer.block(std::move(txs));
  set_chain(node, std::move(longer));
}

void Simulation::cut(std::size_t node) {
  for (const auto& [id, connection] : connections_) {
    if (connection.node == node && connection.open) hang_up(id);
  }
}

void Simulation::kill(std::size_t node) {
  nodes_[node]->reachable = false;
  cut(node);
}

void Simulation::after(util::Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

void Simulation::at(util::TimePoint when, std::function<void()> what) {
  queue_.push({when, scheduled_++, std::move(what)});
}

util::Now Simulation::instant() const {
  const auto passed = std::chrono::duration_cast<seconds>(now_ - util::TimePoint{});
  return {.monotonic = now_, .wall = kWallStart + passed.count()};
}

util::Duration Simulation::latency() {
  const auto range = static_cast<std::uint64_t>((options.max_latency - options.min_latency).count()) + 1;
  return options.min_latency + util::Duration(static_cast<std::int64_t>(rng_.below(range)));
}

// --- the client's life ----------------------------------------------------------------------------------------------

void Simulation::start() {
  ++life_;
  sync::EngineOptions engine_options;
  if (options.book != nullptr) engine_options.book = sync::BookUse{options.book, options.wanted, {}};
  for (std::size_t i = 0; i < nodes_.size() && options.book == nullptr; ++i) {
    engine_options.peers.push_back({"node" + std::to_string(i), static_cast<std::uint16_t>(i)});
  }
  engine_options.fp_rate = options.fp_rate;
  engine_options.mempool_wait = options.mempool_wait;
  engine_options.follow = options.follow;
  engine_options.cross_check = options.cross_check;
  engine_options.source = options.source;
  engine_options.errands = options.errands;
  wallet_ = std::make_unique<wallet::Wallet>(config_, committed_);
  // A new process reads the headers anew, and no side branch lives on.
  headers_ = std::make_unique<chain::HeaderChain>(params_, *header_store_);
  companion_ = options.group ? std::make_unique<wallet::Wallet>(companion_config_, companion_committed_) : nullptr;
  client_ = std::make_unique<Client>(std::move(engine_options), *headers_, *wallet_, companion_.get(),
                                     util::Rng(rng_.next()), filter_headers_.get());
  finished_.reset();
  disconnects_.clear();
  commits_ = 0;
  reorganisations_ = 0;
  started_ = now_;
  feed(sync::Started{});
}

void Simulation::stop() {
  for (const auto& [id, connection] : connections_) {
    if (connection.open) connections_.at(id).open = false;
  }
  connections_.clear();
  client_.reset();
  wallet_ = std::make_unique<wallet::Wallet>(config_, committed_);
}

void Simulation::shut_down() {
  perform(client_->engine.stop(instant()));
  stop();
}

void Simulation::add_wallet(sync::MemberId id, wallet::Wallet& wallet, util::Duration noticed_after) {
  client_->group.add(id, wallet);
  if (noticed_after == util::Duration{}) return feed(sync::WatchChanged{});
  after(noticed_after, [this] { feed(sync::WatchChanged{}); });
}

void Simulation::remove_wallet(sync::MemberId id) {
  client_->group.remove(id);
  feed(sync::WatchChanged{});
}

void Simulation::request_broadcast(sync::BroadcastRequested request) {
  if (!running()) start();
  feed(std::move(request));
}

void Simulation::request_fees() {
  if (!running()) start();
  feed(sync::FeesRequested{});
}

bool Simulation::run_until_finished(util::Duration limit) {
  if (running() && finished_ && !options.follow) stop();
  if (!running()) start();
  return run_while(now_ + limit, [this] { return !finished_.has_value(); });
}

bool Simulation::run_until_commits(std::size_t wanted, util::Duration limit) {
  if (!running()) start();
  run_while(now_ + limit, [&] { return !finished_ && commits_ < wanted; });
  return commits_ >= wanted;
}

void Simulation::run_for(util::Duration duration) {
  if (!running()) start();
  const auto until = now_ + duration;
  run_while(until, [] { return true; });
  now_ = std::max(now_, until);
}

// True if `wanted` turned false in time.
bool Simulation::run_while(util::TimePoint until, const std::function<bool()>& wanted) {
  std::size_t ticks_at_once = 0;
  while (wanted()) {
    const auto deadline = client_ ? client_->engine.next_deadline() : std::nullopt;
    const bool tick = deadline && (queue_.empty() || *deadline < queue_.top().at);
    if (!tick && queue_.empty()) return false;
    const util::TimePoint next = tick ? *deadline : queue_.top().at;
    if (next > until) return false;
    ticks_at_once = tick && next <= now_ ? ticks_at_once + 1 : 0;
    util::ensure(ticks_at_once < kMaxTicksAtOnce, "the engine asks to be woken again and again at once");
    now_ = std::max(now_, next);
    if (tick) {
      ++ticks_;
      feed(sync::Tick{});
    } else {
      const auto what = queue_.top().what;
      queue_.pop();
      what();
    }
  }
  return true;
}

void Simulation::feed(sync::Input&& input) {
  if (!client_) return;
  note("input", input.index());
  const auto life = life_;
  const auto ahead = client_->engine.ahead(input, instant());
  if (!ahead.empty()) perform(ahead);
  if (life == life_) perform(client_->engine.handle(std::move(input), instant()));
}

void Simulation::perform(const std::vector<sync::Action>& actions) {
  const auto life = life_;
  for (const auto& action : actions) {
    note("action", action.index());
    digest_.add(action, now_);
    std::visit([this](const auto& order) { perform(order); }, action);
    if (life != life_) return;
  }
  counters_ = client_->engine.scan_counters();
  reorganisations_ = client_->engine.reorganisations();
}

// --- what the client orders -----------------------------------------------------------------------------------------

void Simulation::perform(const sync::Connect& action) {
  const std::size_t index = options.book == nullptr ? action.address.port : action.address.port - kFirstPort;
  SimulatedNode& node = *nodes_[index];
  if (node.black_hole) return;
  const auto id = action.peer;
  const auto life = life_;
  after(node.reachable ? 2 * latency() : kRefusalDelay, [this, id, index, life] {
    if (life != life_ || !running()) return;
    if (!nodes_[index]->reachable) return feed(sync::ConnectFailed{id, "connection refused"});
    connections_.erase(id);
    connections_.try_emplace(id, index, nodes_[index]->fake, params_.magic);
    trickle(id);
    feed(sync::PeerConnected{id});
  });
}

void Simulation::perform(const sync::Send& action) {
  Connection* connection = open_connection(action.peer);
  if (connection == nullptr) return;
  auto frame = p2p::encode_frame(params_.magic, action.message);
  note("send", action.peer, frame);
  connection->to_node = std::max(connection->to_node + options.spacing, now_ + latency());
  at(connection->to_node, [this, id = action.peer, life = life_, frame = std::move(frame)] {
    if (life == life_) deliver_to_node(id, frame);
  });
}

void Simulation::perform(const sync::Disconnect& action) {
  note("disconnect", action.peer);
  disconnects_.push_back(action.reason);
  if (Connection* connection = open_connection(action.peer)) connection->open = false;
}

void Simulation::perform(const sync::Persist& action) {
  for (const auto& [member, changes] : action.wallets) {
    if (member == kFirstMember) apply_changes(committed_, changes);
    if (member == kCompanion && companion_) apply_changes(companion_committed_, changes);
  }
  digest_.add_commit(committed_, now_);
  ++commits_;
}

void Simulation::perform(const sync::Notify& action) {
  events_.push_back(action.event);
  if (on_event) on_event(action.event);
  if (const auto* finished = std::get_if<sync::Finished>(&action.event)) finished_ = *finished;
}

// --- links ----------------------------------------------------------------------------------------------------------

Simulation::Connection* Simulation::open_connection(sync::PeerId peer) {
  const auto found = connections_.find(peer);
  return found == connections_.end() || !found->second.open ? nullptr : &found->second;
}

const FakePeer* Simulation::connection(std::size_t node) const {
  const FakePeer* last = nullptr;
  for (const auto& [id, connection] : connections_) {
    if (connection.node == node) last = &connection.peer;
  }
  return last;
}

std::size_t Simulation::open_connections() const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(), [](const auto& entry) { return entry.second.open; }));
}

void Simulation::deliver_to_node(sync::PeerId peer, const util::Bytes& frame) {
  Connection* connection = open_connection(peer);
  if (connection == nullptr) return;
  connection->at_node.feed(frame);
  const auto message = connection->at_node.next();
  util::ensure(message && message.value(), "what the client sends has a wire form");
  answer(peer, connection->peer.handle(*message.value()));
}

void Simulation::answer(sync::PeerId peer, Reply reply) {
  Connection* connection = open_connection(peer);
  if (connection == nullptr || nodes_[connection->node]->mute) return;
  const util::TimePoint arrival = now_ + latency();
  for (const auto& message : reply.messages) {
    const util::Duration spacing = options.spacing + nodes_[connection->node]->pause;
    connection->to_client = std::max(connection->to_client + spacing, arrival);
    at(connection->to_client, [this, peer, life = life_, frame = p2p::encode_frame(params_.magic, message)] {
      if (life == life_) deliver_to_client(peer, frame);
    });
  }
  if (!reply.closed) return;
  connection->to_client = std::max(connection->to_client + options.spacing, arrival);
  at(connection->to_client, [this, peer, life = life_] {
    if (life == life_) hang_up(peer);
  });
}

void Simulation::deliver_to_client(sync::PeerId peer, const util::Bytes& frame) {
  Connection* connection = open_connection(peer);
  if (connection == nullptr) return;
  note("receive", peer, frame);
  connection->at_client.feed(frame);
  auto message = connection->at_client.next();
  if (!message) return feed(sync::StreamCorrupted{peer, message.error()});
  if (message.value()) feed(sync::MessageReceived{peer, std::move(*message.value())});
}

void Simulation::hang_up(sync::PeerId peer) {
  Connection* connection = open_connection(peer);
  if (connection == nullptr) return;
  connection->open = false;
  feed(sync::PeerDisconnected{peer});
}

// A node announces transactions every five seconds or so (protocol.md P11).
void Simulation::trickle(sync::PeerId peer) {
  const auto pause = milliseconds(500 + static_cast<std::int64_t>(rng_.below(7'000)));
  after(pause, [this, peer, life = life_] {
    Connection* connection = life == life_ ? open_connection(peer) : nullptr;
    if (connection == nullptr) return;
    answer(peer, connection->peer.trickle());
    trickle(peer);
  });
}

void Simulation::note(std::string_view what, std::uint64_t number, util::ByteView bytes) {
  util::Writer out;
  out.hash(trace_).integer(number).integer(static_cast<std::uint64_t>((now_ - util::TimePoint{}).count()));
  out.bytes(util::as_bytes(what)).bytes(bytes);
  trace_ = util::sha256(out.take());
}

}  // namespace spv::test
