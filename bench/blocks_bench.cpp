// What whole blocks cost: reading, hashing and matching a block of 2,000 transactions like those of the main chain,
// against one SHA-256 over the same bytes, with few and with very many watched scripts. CPU time, turn by turn, so that
// a busy machine slows both alike.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/resources.h"
#include "bench/sample_block.h"
#include "sync/scan/block_matcher.h"
#include "util/hash.h"
#include "util/rng.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kTransactions = 2'000;
constexpr int kTurns = 200;

using bench::cpu_seconds;
using bench::median;
using bench::SampleBlock;

/// A matcher that watches so many scripts, none of them in the block, and what each of its turns took.
struct Case {
  explicit Case(std::size_t count) : scripts(count) {
    util::Rng rng(2);
    std::vector<util::Bytes> watched;
    for (std::size_t i = 0; i < scripts; ++i) watched.push_back(bench::sample_script(rng));
    matcher.watch(watched, {});
  }

  std::size_t scripts;
  sync::BlockMatcher matcher{util::Rng(3)};
  std::vector<double> seconds;
};

double bare_hash(const SampleBlock& block) {
  const double start = cpu_seconds();
  if (util::sha256(block.body).is_zero()) std::abort();
  return cpu_seconds() - start;
}

double match(sync::BlockMatcher& matcher, const SampleBlock& block) {
  const double start = cpu_seconds();
  if (!matcher.match(block.header, block.body, false)) std::abort();
  return cpu_seconds() - start;
}

}  // namespace

int main() {
  const SampleBlock block = bench::sample_block(kTransactions);
  std::printf("a block of %zu transactions, %.2f MB\n", kTransactions, static_cast<double>(block.body.size()) / 1e6);
  std::array<Case, 3> cases{Case(10), Case(1'000), Case(1'000'000)};
  std::vector<double> bare;
  for (int turn = 0; turn < kTurns; ++turn) {
    bare.push_back(bare_hash(block));
    for (Case& one : cases) one.seconds.push_back(match(one.matcher, block));
  }
  const auto rate = [&](double seconds) { return static_cast<double>(block.body.size()) / seconds / 1e6; };
  std::printf("bare SHA-256: %.0f MB/s\n", rate(median(bare)));
  for (const Case& one : cases) {
    const double seconds = median(one.seconds);
    std::printf(
        "%8zu scripts: parse + hash + match %5.0f MB/s, %3.0f%% of bare SHA-256, %.2fx the time of %zu scripts\n",
        one.scripts, rate(seconds), 100 * median(bare) / seconds, seconds / median(cases[0].seconds), cases[0].scripts);
  }
}
