// How the cost of a sync grows: with the blocks, with what the wallet watches, and with what it holds. One engine and
// one node of made-up blocks, both in this process; only what the client does is counted, from bytes to a wallet's
// changes. Every figure stands beside that of the smallest case of the same run. Ends with an error if a goal is not
// met.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/resources.h"
#include "bip37/matcher.h"
#include "bip37/partial_merkle_tree.h"
#include "chain/pow.h"
#include "p2p/message_reader.h"
#include "store/header_file.h"
#include "sync/engine/engine.h"
#include "sync/watch/wallet_group.h"
#include "util/ensure.h"
#include "util/rng.h"
#include "wallet/wallet.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr int kTurns = 5;
constexpr chain::Height kBlocks = 20'000;
constexpr chain::Height kManyHeaders = 1'000'000;
constexpr double kLongestStart = 0.05;  // seconds of processor time, however large the wallet

bool all_met = true;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const chain::NetworkParams& network() { return chain::params(chain::Network::Regtest); }

void report(const char* what, double value, const char* unit, double ratio, double limit) {
  const bool met = ratio <= limit;
  all_met = all_met && met;
  std::printf("  %-52s %9.2f %-4s %6.2fx  %s (at most %gx)\n", what, value, unit, ratio, met ? "met" : "NOT MET",
              limit);
  std::fflush(stdout);
}

util::Bytes script(util::Rng& rng) {
  util::Bytes out{0x00, 0x14};
  const auto hash = rng.bytes(20);
  out.insert(out.end(), hash.begin(), hash.end());
  return out;
}

chain::Transaction payment(util::Rng& rng, util::Bytes to) {
  chain::Transaction tx;
  chain::TxInput input;
  const auto txid = rng.bytes(32);
  std::copy(txid.begin(), txid.end(), input.previous.txid.bytes.begin());
  input.witness = {rng.bytes(71), rng.bytes(33)};
  tx.inputs.push_back(std::move(input));
  tx.outputs.push_back({1'000, std::move(to)});
  tx.outputs.push_back({2'000, script(rng)});
  return tx;
}

/// A chain whose last blocks have ten transactions each, one in a hundred of them for the wallet; the others are bare.
struct World {
  std::vector<chain::BlockHeader> headers{network().genesis};
  std::vector<chain::BlockHash> hashes{network().genesis_hash};
  chain::Height first_full = 0;
  std::vector<std::vector<chain::Transaction>> full;

  World(chain::Height height, chain::Height full_blocks, const wallet::Descriptor& ours) {
    util::Rng rng(std::uint64_t{1});
    first_full = height - full_blocks + 1;
    headers.reserve(static_cast<std::size_t>(height) + 1);
    for (chain::Height at = 1; at <= height; ++at) {
      chain::MerkleRoot root{};
      if (at >= first_full) {
        auto& txs = full.emplace_back();
        const bool paid = at % 10 == 0;
        for (int i = 0; i < 10; ++i) {
          const auto index = static_cast<std::uint32_t>(at / 10 % 8);
          txs.push_back(payment(rng, paid && i == 3 ? *ours.script_at(index) : script(rng)));
        }
        root = bip37::extract_matches(tree(txs, nullptr)).value().root;
      }
      mine(root);
    }
  }

  static bip37::PartialMerkleTree tree(const std::vector<chain::Transaction>& txs, std::vector<bool>* matched) {
    std::vector<chain::Txid> txids;
    for (const auto& tx : txs) txids.push_back(tx.txid());
    return bip37::build_partial_tree(txids, matched == nullptr ? std::vector<bool>(txids.size(), false) : *matched);
  }

 private:
  void mine(const chain::MerkleRoot& root) {
    chain::BlockHeader next = headers.back();
    next.version = 4;
    next.previous = hashes.back();
    next.merkle_root = root;
    next.time += 600;
    next.nonce = 0;
    chain::BlockHash hash;
    while (!chain::check_proof_of_work(hash = next.hash(), next.bits, network())) ++next.nonce;
    headers.push_back(next);
    hashes.push_back(hash);
  }
};

/// What a node sends in answer, as frames.
class Node {
 public:
  explicit Node(const World& world) : world_(world) {
    for (std::size_t i = 0; i < world.hashes.size(); ++i) heights_.emplace_back(world.hashes[i], i);
    std::sort(heights_.begin(), heights_.end());
  }

  void on(const p2p::Message& message) {
    std::visit([this](const auto& m) { answer(m); }, message);
  }
  std::vector<util::Bytes> take() { return std::exchange(out_, {}); }

 private:
  void send(const p2p::Message& message) { out_.push_back(p2p::encode_frame(network().magic, message)); }
  std::size_t height_of(const chain::BlockHash& hash) const {
    return std::lower_bound(heights_.begin(), heights_.end(), std::pair{hash, std::size_t{0}})->second;
  }

  void answer(const p2p::Version&) {
    p2p::Version ours;
    ours.services = p2p::services::kNetwork | p2p::services::kBloom;
    ours.nonce = 77;
    ours.start_height = static_cast<std::int32_t>(world_.headers.size() - 1);
    send(ours);
    send(p2p::Verack{});
  }
  void answer(const p2p::Ping& ping) { send(p2p::Pong{ping.nonce}); }
  void answer(const p2p::FilterLoad& load) { filter_ = load.filter; }
  void answer(const p2p::GetHeaders& request) {
    const std::size_t from = height_of(request.locator.front()) + 1;
    const std::size_t to = std::min(from + p2p::kMaxHeaders, world_.headers.size());
    const auto at = [&](std::size_t i) { return world_.headers.begin() + static_cast<std::ptrdiff_t>(i); };
    send(p2p::Headers{{at(std::min(from, to)), at(to)}});
  }
  void answer(const p2p::GetData& request) {
    for (const auto& item : request.items) {
      const std::size_t height = height_of(util::retag<chain::BlockHash>(item.hash));
      const auto& txs = world_.full[height - static_cast<std::size_t>(world_.first_full)];
      std::vector<bool> matched;
      for (const auto& tx : txs) matched.push_back(bip37::match_and_update(tx, tx.txid(), *filter_));
      send(p2p::MerkleBlock{world_.headers[height], World::tree(txs, &matched)});
      for (std::size_t i = 0; i < txs.size(); ++i) {
        if (matched[i]) send(p2p::Tx{txs[i]});
      }
    }
  }
  template <typename Other>
  void answer(const Other&) {}

  const World& world_;
  std::vector<std::pair<chain::BlockHash, std::size_t>> heights_;
  std::optional<bip37::BloomFilter> filter_;
  std::vector<util::Bytes> out_;
};

wallet::Descriptor descriptor() {
  constexpr const char* kText =
      "wpkh(xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGM"
      "cet8/0/*)";
  return wallet::Descriptor::parse(kText, chain::params(chain::Network::Main))->front();
}

struct Case {
  std::uint32_t scripts = 10;  // watched
  std::size_t own = 0;         // transactions that the wallet holds already
};

/// A wallet that watches as many scripts and holds as many transactions, every second one spent by the next.
struct Holder {
  wallet::WalletConfig config;
  std::optional<wallet::Wallet> wallet;

  Holder(const Case& what, chain::Height birthday) {
    config.network = chain::Network::Regtest;
    config.gap_limit = what.scripts / wallet::kLookAheadFactor;
    config.birthday = birthday;
    config.filter = {.tweak = 5, .decoy_seed = 6};
    config.key_chains.push_back({.descriptor = descriptor(), .change = false});
    wallet::WalletState state = wallet::Wallet::fresh_state(config);
    util::Rng rng(std::uint64_t{2});
    for (std::size_t i = 0; i < what.own; ++i) {
      wallet::TxRecord record;
      record.tx = payment(rng, *config.key_chains[0].descriptor.script_at(0));
      if (i % 2 == 1) record.tx.inputs[0].previous = {state.transactions.back().txid, 0};
      record.txid = record.tx.txid();
      // In the one block that every chain has: a wallet takes back what stands in others.
      record.confirmation = wallet::Confirmation{};
      record.confirmation->block = {.height = 0, .hash = network().genesis.hash()};
      record.proof = rng.bytes(474);
      state.transactions.push_back(std::move(record));
    }
    wallet.emplace(config, std::move(state));
  }
};

/// Syncs to the end; the processor time that the client took.
double sync(Node& node, chain::HeaderStore& store, Holder& holder) {
  chain::HeaderChain chain(network(), store);
  sync::WalletGroup watcher(util::Rng(std::uint64_t{1}));
  watcher.add(1, *holder.wallet);
  sync::EngineOptions options;
  options.peers = {{"node", 1}};
  options.mempool_wait = util::Duration::zero();
  sync::Engine engine(options, chain, watcher, util::Rng(std::uint64_t{3}));
  p2p::MessageReader reader(network().magic);
  util::Now now{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 4'000'000'000};
  double spent = 0;
  bool finished = false;
  std::vector<sync::Action> orders;
  const auto feed = [&](sync::Input&& input) {
    now.monotonic += std::chrono::microseconds(20);
    for (auto& action : engine.handle(std::move(input), now)) orders.push_back(std::move(action));
  };
  const auto obey = [&] {
    for (const auto& action : std::exchange(orders, {})) {
      if (const auto* send = std::get_if<sync::Send>(&action)) node.on(send->message);
      const auto* told = std::get_if<sync::Notify>(&action);
      const auto* end = told == nullptr ? nullptr : std::get_if<sync::Finished>(&told->event);
      if (end == nullptr) continue;
      util::ensure(!end->failure, "the sync failed");
      finished = true;
    }
  };
  feed(sync::Started{});
  feed(sync::PeerConnected{1});
  obey();
  while (!finished) {
    const auto frames = node.take();
    util::ensure(!frames.empty(), "the node has nothing to say and the client is not done");
    const double start = bench::cpu_seconds();
    for (const auto& frame : frames) {
      reader.feed(frame);
      while (auto message = reader.next().value()) feed(sync::MessageReceived{1, std::move(*message)});
    }
    spent += bench::cpu_seconds() - start;
    obey();
  }
  util::ensure(engine.scan_counters().rescans == 0, "nothing is scanned twice");
  return spent;
}

chain::MemoryHeaderStore fresh_headers() { return {0, network().genesis, chain::work_of_bits(network().genesis.bits)}; }

/// Processor seconds of a whole sync, the median of some turns.
double whole_sync(const World& world, const Case& what) {
  std::vector<double> turns;
  Node node(world);
  for (int i = 0; i < kTurns; ++i) {
    auto store = fresh_headers();
    Holder holder(what, world.first_full);
    turns.push_back(sync(node, store, holder));
  }
  return bench::median(turns);
}

/// What a sync costs once, and what every block adds.
struct Cost {
  double start = 0;
  double block = 0;
  double few = 0;   // a block of the short chain, the start included
  double many = 0;  // the same on the long one
};

Cost cost_of(const World& few, const World& many, const Case& what) {
  const auto blocks = [](const World& world) { return static_cast<double>(world.full.size()); };
  const double short_sync = whole_sync(few, what);
  const double long_sync = whole_sync(many, what);
  const double block = (long_sync - short_sync) / (blocks(many) - blocks(few));
  return {.start = std::max(short_sync - block * blocks(few), 0.0),
          .block = block,
          .few = short_sync / blocks(few),
          .many = long_sync / blocks(many)};
}

void measure_time() {
  const World few(kBlocks / 10, kBlocks / 10, descriptor());
  const World many(kBlocks, kBlocks, descriptor());
  const struct {
    const char* name;
    Case what;
  } cases[]{{"10 watched scripts, 0 own transactions", {}},
            {"10,000 watched scripts", {.scripts = 10'000}},
            {"10,000 own transactions", {.own = 10'000}},
            {"both", {.scripts = 10'000, .own = 10'000}}};
  std::optional<Cost> least;
  std::printf("client CPU: headers, proofs, filter, wallet; %d and %d blocks\n", kBlocks / 10, kBlocks);
  for (const auto& [name, what] : cases) {
    const Cost cost = cost_of(few, many, what);
    if (!least) least = cost;
    std::printf(" %s: %.2f us a block of %d in all, %.2f us a block of %d\n", name, cost.few * 1e6, kBlocks / 10,
                cost.many * 1e6, kBlocks);
    report("a further block", cost.block * 1e6, "us", cost.block / least->block, 2);
    report("the start", cost.start * 1e3, "ms", cost.start / kLongestStart, 1);
  }
  std::printf(" %d blocks\n", 2 * kBlocks);
  const World twice(2 * kBlocks, 2 * kBlocks, descriptor());
  const double each = whole_sync(twice, {}) / static_cast<double>(twice.full.size());
  report("twice the blocks, each", each * 1e6, "us", each / least->many, 1.2);
}

void measure_memory(const std::filesystem::path& folder) {
  const World world(kManyHeaders, kBlocks, descriptor());
  Node node(world);
  double peak = 0;
  {
    const auto store = store::HeaderFile::open(folder / "headers.dat", network());
    peak = bench::peak_growth([&] {
      Holder holder({.scripts = 10'000, .own = 10'000}, world.first_full);
      static_cast<void>(sync(node, *store, holder));
    });
  }
  std::printf("a million headers, 10,000 scripts, 10,000 transactions, %d blocks scanned\n", kBlocks);
  report("peak growth of the client's memory", peak, "MiB", peak / 64, 1);
}

}  // namespace

int main() {
  measure_time();
  std::string folder = (std::filesystem::temp_directory_path() / "spv-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  measure_memory(folder);
  std::filesystem::remove_all(folder);
  return all_met ? 0 : 1;
}
