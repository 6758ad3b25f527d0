// What very many wallets cost, beside the goals: memory, opening them from stored scripts, a block without news, a
// block matched against all of their scripts. The wallets hold nothing; their stored scripts are made up, which nobody
// notices before an address is handed out. The store is not measured here.
//
// usage: wallet_scale [--large]     --large: 100,000 wallets with 10,000,000 scripts too
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <malloc.h>
#include <string>
#include <string_view>
#include <vector>

#include "bench/resources.h"
#include "bench/sample_block.h"
#include "chain/header_chain.h"
#include "sync/scan/block_matcher.h"
#include "sync/watch/wallet_group.h"
#include "util/rng.h"
#include "wallet/wallet.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

using bench::cpu_seconds;

constexpr std::uint32_t kScriptsPerChain = 50;
constexpr std::size_t kScriptsPerWallet = 2 * kScriptsPerChain;
constexpr std::size_t kTransactions = 3'000;
constexpr int kTurns = 21;
constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * 1024;

const chain::NetworkParams& network() { return chain::params(chain::Network::Regtest); }

/// All that is allocated and not given back.
double heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// --- the table ----------------------------------------------------------------------------------------------------

void print_head() { std::printf("%-62s %12s %16s %12s\n", "", "goal", "before", "now"); }

/// `before`: measured when every script had a vector of its own and was derived.
void print_row(const std::string& what, const char* goal, const char* before, const char* format, double value) {
  char now[32];
  std::snprintf(now, sizeof now, format, value);
  std::printf("%-62s %12s %16s %12s\n", what.c_str(), goal, before, now);
  std::fflush(stdout);
}

// --- wallets ------------------------------------------------------------------------------------------------------

/// A wallet as a store has it.
struct Stored {
  std::string descriptors;
  std::vector<util::Bytes> scripts;  // encoded, one for each chain
};

Stored stored_wallet(std::size_t number, util::Rng& rng) {
  constexpr const char* kXpub =
      "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
  Stored stored;
  stored.descriptors = std::string("wpkh(") + kXpub + "/" + std::to_string(number) + "/<0;1>/*)";
  for (int chain = 0; chain < 2; ++chain) {
    wallet::ScriptList scripts;
    for (std::uint32_t i = 0; i < kScriptsPerChain; ++i) scripts.push_back(bench::sample_script(rng));
    stored.scripts.push_back(scripts.encode());
  }
  return stored;
}

wallet::Wallet open_wallet(const Stored& stored) {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  config.gap_limit = kScriptsPerChain / wallet::kLookAheadFactor;
  const auto descriptors = wallet::Descriptor::parse(stored.descriptors, network());
  for (const auto& descriptor : *descriptors) {
    config.key_chains.push_back({.descriptor = descriptor, .change = !config.key_chains.empty()});
  }
  wallet::WalletState state = wallet::Wallet::fresh_state(config);
  for (const auto& bytes : stored.scripts) {
    if (!state.scripts.emplace_back().append_encoded(bytes, kScriptsPerChain)) std::abort();
  }
  return {std::move(config), std::move(state)};
}

/// Wallets of one group, and what it took to open them.
struct Crowd {
  explicit Crowd(std::size_t count) {
    util::Rng rng(std::uint64_t{2});
    for (std::size_t number = 0; number < count; ++number) {
      const Stored stored = stored_wallet(number, rng);
      const double start = cpu_seconds();
      wallets.push_back(open_wallet(stored));
      opening += cpu_seconds() - start;
    }
    chain::MemoryHeaderStore headers(0, network().genesis, chain::Uint256(2));
    const chain::HeaderChain chain(network(), headers);
    const double heap = heap_bytes();
    const double start = cpu_seconds();
    for (std::size_t number = 0; number < count; ++number) {
      group.add(static_cast<sync::MemberId>(number + 1), wallets[number]);
    }
    group.on_chain_known(chain);
    static_cast<void>(group.take_changes());
    joining = cpu_seconds() - start;
    group_bytes = heap_bytes() - heap;
  }

  std::deque<wallet::Wallet> wallets;
  sync::WalletGroup group{util::Rng(std::uint64_t{1})};
  double opening = 0;
  double joining = 0;
  double group_bytes = 0;  // of the group, which is its router for the most part
};

/// The engine's two facts about a block in which nothing concerns a wallet, and what is fetched for the commit.
double quiet_block(sync::WalletGroup& group, chain::Height height) {
  chain::BlockRef block{.height = height, .hash = {}};
  for (std::size_t i = 0; i < 4; ++i) block.hash.bytes[i] = static_cast<std::uint8_t>(height >> (8U * i));
  block.hash.bytes[31] = 1;
  const double start = cpu_seconds();
  group.on_tip(height);
  group.on_scanned({.to = block, .time = 1, .next = height + 1, .by_two = {height}, .whole = {height}});
  group.on_witnessed(3);
  static_cast<void>(group.take_changes());
  return cpu_seconds() - start;
}

double quiet_blocks(sync::WalletGroup& group) {
  std::vector<double> seconds;
  for (chain::Height height = 1; height <= 100; ++height) seconds.push_back(quiet_block(group, height));
  return bench::median({seconds.end() - kTurns, seconds.end()});  // once the anchors are many
}

double match(sync::BlockMatcher& matcher, const bench::SampleBlock& block) {
  const double start = cpu_seconds();
  if (!matcher.match(block.header, block.body, false)) std::abort();
  return cpu_seconds() - start;
}

/// How many times longer the block takes with all scripts than with ten.
double match_ratio(sync::BlockMatcher& all) {
  const auto block = bench::sample_block(kTransactions);
  sync::BlockMatcher few{util::Rng(std::uint64_t{3})};
  util::Rng rng(std::uint64_t{4});
  std::vector<util::Bytes> scripts;
  while (scripts.size() < 10) scripts.push_back(bench::sample_script(rng));
  few.watch(scripts, {});
  std::vector<double> with_few;
  std::vector<double> with_all;
  for (int turn = 0; turn < kTurns; ++turn) {
    with_few.push_back(match(few, block));
    with_all.push_back(match(all, block));
  }
  return bench::median(with_all) / bench::median(with_few);
}

// --- what is measured ---------------------------------------------------------------------------------------------

void measure_thousand() {
  const double before = heap_bytes();
  Crowd crowd(1'000);
  const double bytes = heap_bytes() - before;
  print_row("memory a wallet of 100 scripts, nothing received", "16 KiB", "232 KiB", "%.1f KiB", bytes / 1'000 / kKiB);
  print_row("open 1,000 wallets, 100,000 stored scripts, CPU", "0.5 s", "7.3 s", "%.2f s", crowd.opening);
  static_cast<void>(quiet_blocks(crowd.group));
  print_row("memory a wallet after 100 blocks", "16 KiB", "-", "%.1f KiB", (heap_bytes() - before) / 1'000 / kKiB);
}

struct Scale {
  std::size_t wallets;
  const char* open_goal;
  const char* open_before;
  const char* memory_goal;
  const char* memory_before;
};

void measure_crowd(const Scale& scale) {
  malloc_trim(0);  // what another crowd has left
  const double resident = bench::status_kib("VmRSS");
  const double heap = heap_bytes();
  const auto start = std::chrono::steady_clock::now();
  Crowd crowd(scale.wallets);
  const double with_wallets = heap_bytes();
  sync::BlockMatcher matcher{util::Rng(std::uint64_t{3})};
  const double matching = cpu_seconds();
  matcher.watch(crowd.group);
  const double built = cpu_seconds() - matching;
  const double matcher_bytes = heap_bytes() - with_wallets;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const auto scripts = static_cast<double>(scale.wallets * kScriptsPerWallet);
  std::printf("\n%zu wallets, %.0f scripts, made up and opened in %.0f s\n", scale.wallets, scripts, took.count());
  const double opening = crowd.opening + crowd.joining + built;
  print_row("open, join and build the matcher, CPU", scale.open_goal, scale.open_before, "%.2f s", opening);
  print_row("resident memory", scale.memory_goal, scale.memory_before, "%.0f MiB",
            (bench::status_kib("VmRSS") - resident) / kKiB);
  print_row("  of that allocated", "", "", "%.0f MiB", (heap_bytes() - heap) / kMiB);
  print_row("memory a script in matcher and router", "96 B", "436 B - 2.3 KiB", "%.0f B",
            (crowd.group_bytes + matcher_bytes) / scripts);
  print_row("a block of 3,000 transactions, time against 10 scripts", "2x", "-", "%.2fx", match_ratio(matcher));
  print_row("a block without news, CPU", "", "-", "%.1f ms", 1e3 * quiet_blocks(crowd.group));
}

}  // namespace

int main(int argc, char** argv) {
  const bool large = argc == 2 && std::string_view(argv[1]) == "--large";
  if (argc > 1 && !large) {
    std::fprintf(stderr, "usage: %s [--large]\n", argv[0]);
    return 2;
  }
  print_head();
  measure_thousand();
  measure_crowd({10'000, "6 s", "49 s (1,000)", "250 MiB", "416 MiB"});
  if (large) measure_crowd({100'000, "", "-", "2560 MiB", "-"});
}
