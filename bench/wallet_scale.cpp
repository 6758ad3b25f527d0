// What very many wallets cost, beside the goals: memory, opening them from stored scripts, a block without news, a
// block matched against all of their scripts. The store is not measured here: wallet_stores.cpp does.
//
// usage: wallet_scale [--large]     --large: 100,000 wallets with 10,000,000 scripts too
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <malloc.h>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/goal_table.h"
#include "bench/resources.h"
#include "bench/sample_block.h"
#include "bench/sample_wallet.h"
#include "chain/header_chain.h"
#include "sync/scan/block_matcher.h"
#include "sync/watch/wallet_group.h"
#include "util/rng.h"
#include "wallet/wallet.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

using bench::cpu_seconds;

constexpr std::size_t kTransactions = 3'000;
constexpr int kTurns = 21;
constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * 1024;

/// All that is allocated and not given back.
double heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// --- wallets ------------------------------------------------------------------------------------------------------

wallet::Wallet open_wallet(const bench::SampleWallet& sample) {
  auto config = bench::sample_config(sample);
  auto state = bench::sample_state(config, sample);
  return {std::move(config), std::move(state)};
}

/// Wallets of one group, and what it took to open them.
struct Crowd {
  explicit Crowd(std::size_t count) {
    util::Rng rng(std::uint64_t{2});
    for (std::size_t number = 0; number < count; ++number) {
      const auto stored = bench::sample_wallet(number, rng);
      const double start = cpu_seconds();
      wallets.push_back(open_wallet(stored));
      opening += cpu_seconds() - start;
    }
    chain::MemoryHeaderStore headers(0, bench::regtest().genesis, chain::Uint256(2));
    const chain::HeaderChain chain(bench::regtest(), headers);
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

void measure_thousand(bench::GoalTable& table) {
  const double before = heap_bytes();
  Crowd crowd(1'000);
  const double bytes = heap_bytes() - before;
  table.row("memory a wallet of 100 scripts, nothing received", "KiB", 16, "232 KiB", bytes / 1'000 / kKiB, 1);
  table.row("open 1,000 wallets, 100,000 stored scripts, CPU", "s", 0.5, "7.3 s", crowd.opening, 2);
  static_cast<void>(quiet_blocks(crowd.group));
  table.row("memory a wallet after 100 blocks", "KiB", 16, "", (heap_bytes() - before) / 1'000 / kKiB, 1);
}

struct Scale {
  std::size_t wallets;
  std::optional<double> open_goal;
  const char* open_before;
  double memory_goal;
  const char* memory_before;
};

void measure_crowd(bench::GoalTable& table, const Scale& scale) {
  malloc_trim(0);  // what another crowd has left
  const double resident = bench::status_kib("VmRSS");
  const double heap = heap_bytes();
  Crowd crowd(scale.wallets);
  const double with_wallets = heap_bytes();
  sync::BlockMatcher matcher{util::Rng(std::uint64_t{3})};
  const double matching = cpu_seconds();
  matcher.watch(crowd.group);
  const double built = cpu_seconds() - matching;
  const double matcher_bytes = heap_bytes() - with_wallets;

  const auto scripts = static_cast<double>(scale.wallets * bench::kScriptsPerWallet);
  std::printf("%zu wallets, %.0f scripts\n", scale.wallets, scripts);
  table.row("  open, join and build the matcher, CPU", "s", scale.open_goal, scale.open_before,
            crowd.opening + crowd.joining + built, 2);
  table.row("  resident memory", "MiB", scale.memory_goal, scale.memory_before,
            (bench::status_kib("VmRSS") - resident) / kKiB);
  table.row("    of that allocated", "MiB", {}, "", (heap_bytes() - heap) / kMiB);
  table.row("  memory a script in matcher and router", "B", 96, "436 B - 2.3 KiB",
            (crowd.group_bytes + matcher_bytes) / scripts);
  table.row("  a block of 3,000 transactions, time against 10 scripts", "x", 2, "", match_ratio(matcher), 2);
  table.row("  a block without news, CPU", "ms", {}, "", 1e3 * quiet_blocks(crowd.group), 1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool large = argc == 2 && std::string_view(argv[1]) == "--large";
  if (argc > 1 && !large) {
    std::fprintf(stderr, "usage: %s [--large]\n", argv[0]);
    return 2;
  }
  bench::GoalTable table("wallets in memory");
  measure_thousand(table);
  measure_crowd(table, {10'000, 6, "49 s (1,000)", 250, "416 MiB"});
  if (large) measure_crowd(table, {100'000, {}, "", 2560, ""});
  return table.exit_code();
}
