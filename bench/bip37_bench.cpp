// What filters, proofs and the mirror cost. Each case runs its yardstick in the same loop and prints the quotient
// (counter `ratio`), so that a busy machine slows both alike.
#include <algorithm>
#include <bit>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/resources.h"
#include "bip37/bloom_filter.h"
#include "bip37/matcher.h"
#include "bip37/merkle_shape.h"
#include "bip37/murmur3.h"
#include "bip37/partial_merkle_tree.h"
#include "util/rng.h"

namespace spv::bip37 {
namespace {

using bench::cpu_seconds;
using bench::median;

// Times `work` against `yardstick`, turn by turn; the benchmark's own time is that of `work`. The ratio is that of the
// medians, which a disturbed turn does not move.
template <typename Work, typename Yardstick>
void compare(benchmark::State& state, std::size_t items, Work&& work, Yardstick&& yardstick) {
  std::vector<double> works;
  std::vector<double> yardsticks;
  for ([[maybe_unused]] auto _ : state) {
    const double start = cpu_seconds();
    yardstick();
    const double middle = cpu_seconds();
    work();
    const double end = cpu_seconds();
    yardsticks.push_back(middle - start);
    works.push_back(end - middle);
    state.SetIterationTime(end - middle);
  }
  state.counters["median_ns"] = median(works) * 1e9 / static_cast<double>(items);
  state.counters["ratio"] = median(works) / median(yardsticks);
}

std::vector<util::Bytes> random_elements(std::size_t count, std::size_t size) {
  util::Rng rng(1);
  std::vector<util::Bytes> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(rng.bytes(size));
  return out;
}

// The filter as one would first write it: a whole hash and a division a function.
std::size_t plain_bit(const BloomFilter& filter, std::uint32_t function, util::ByteView element) {
  return murmur3(function * 0xFBA4'C795U + filter.tweak(), element) % (filter.bits().size() * 8);
}

bool plain_contains(const BloomFilter& filter, util::ByteView element) {
  for (std::uint32_t i = 0; i < filter.hash_funcs(); ++i) {
    const std::size_t bit = plain_bit(filter, i, element);
    if ((filter.bits()[bit / 8] & (1U << (bit % 8))) == 0) return false;
  }
  return true;
}

void plain_insert(const BloomFilter& shape, util::Bytes& bits, util::ByteView element) {
  for (std::uint32_t i = 0; i < shape.hash_funcs(); ++i) {
    const std::size_t bit = plain_bit(shape, i, element);
    bits[bit / 8] = static_cast<std::uint8_t>(bits[bit / 8] | (1U << (bit % 8)));
  }
}

BloomFilter empty_filter(const benchmark::State& state) {
  return {{20'000, static_cast<std::uint32_t>(state.range(0)), false}, 7, UpdateFlags::All};
}

void insert(benchmark::State& state) {
  auto filter = empty_filter(state);
  util::Bytes bits(filter.bits().size());
  const auto elements = random_elements(1'000, static_cast<std::size_t>(state.range(1)));
  compare(
      state, elements.size(),
      [&] {
        for (const auto& element : elements) filter.insert(element);
        benchmark::ClobberMemory();
      },
      [&] {
        for (const auto& element : elements) plain_insert(filter, bits, element);
        benchmark::ClobberMemory();
      });
}
BENCHMARK(insert)->ArgsProduct({{10, 50}, {20, 36}})->ArgNames({"k", "bytes"})->UseManualTime();

// `hit`: every element is in the filter, so that all functions are asked; else the first clear bit ends it.
void contains(benchmark::State& state) {
  auto filter = empty_filter(state);
  const auto elements = random_elements(1'000, static_cast<std::size_t>(state.range(1)));
  util::Rng rng(2);
  for (int i = 0; i < 1'500; ++i) filter.insert(rng.bytes(20));
  if (state.range(2) != 0) {
    for (const auto& element : elements) filter.insert(element);
  }
  std::size_t hits = 0;
  compare(
      state, elements.size(),
      [&] {
        for (const auto& element : elements) hits += filter.contains(element) ? 1U : 0U;
      },
      [&] {
        for (const auto& element : elements) hits += plain_contains(filter, element) ? 1U : 0U;
      });
  benchmark::DoNotOptimize(hits);
}
BENCHMARK(contains)->ArgsProduct({{10, 50}, {20, 36}, {0, 1}})->ArgNames({"k", "bytes", "hit"})->UseManualTime();

std::vector<chain::Txid> random_txids(std::size_t count) {
  util::Rng rng(3);
  std::vector<chain::Txid> txids(count);
  for (auto& txid : txids) {
    const util::Bytes bytes = rng.bytes(chain::Txid::kSize);
    std::copy(bytes.begin(), bytes.end(), txid.bytes.begin());
  }
  return txids;
}

// Every node that is marked and no leaf is hashed from its children.
std::size_t hash_calls(const PartialMerkleTree& tree) {
  std::size_t marked = 0;
  for (const std::uint8_t byte : tree.flags) marked += static_cast<std::size_t>(std::popcount(byte));
  return marked - extract_matches(tree)->matches.size();
}

// Yardstick: the double SHA-256 calls that the tree needs, each fed by the one before as on a branch.
void extract(benchmark::State& state) {
  const auto txids = random_txids(static_cast<std::size_t>(state.range(0)));
  const auto count = static_cast<std::size_t>(state.range(1));
  std::vector<bool> marks(txids.size());
  for (std::size_t i = 0; i < count; ++i) marks[(2 * i + 1) * txids.size() / (2 * count)] = true;
  const auto tree = build_partial_tree(txids, marks);
  const std::size_t calls = hash_calls(tree);
  constexpr int kTurns = 20;
  compare(
      state, kTurns,
      [&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          auto found = extract_matches(tree);
          benchmark::DoNotOptimize(found);
        }
      },
      [&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          util::Hash256 node = tree.hashes[0];
          for (std::size_t i = 0; i < calls; ++i) node = parent_of(node, tree.hashes[i % tree.hashes.size()]);
          benchmark::DoNotOptimize(node);
        }
      });
  state.counters["hash_calls"] = static_cast<double>(calls);
}
BENCHMARK(extract)->ArgsProduct({{2'000, 4'000}, {1, 10}})->ArgNames({"txs", "matches"})->UseManualTime();

// A block of 2,500 transactions with two inputs and two outputs each, half of the scripts segwit.
std::vector<chain::Transaction> synthetic_block() {
  util::Rng rng(4);
  const auto push = [&rng](util::Bytes prefix, std::size_t size, util::Bytes suffix) {
    const util::Bytes data = rng.bytes(size);
    prefix.push_back(static_cast<std::uint8_t>(size));
    prefix.insert(prefix.end(), data.begin(), data.end());
    prefix.insert(prefix.end(), suffix.begin(), suffix.end());
    return prefix;
  };
  std::vector<chain::Transaction> txs(2'500);
  const auto previous = random_txids(2 * txs.size());
  for (std::size_t i = 0; i < txs.size(); ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const auto signature = push({}, 72, push({}, 33, {}));
      txs[i].inputs.push_back({.previous = {previous[2 * i + j], 1},
                               .script_sig = i % 2 == 0 ? util::Bytes{} : signature,
                               .sequence = 0,
                               .witness = {}});
      const auto script = i % 2 == 0 ? push({0x00}, 20, {}) : push({0x76, 0xA9}, 20, {0x88, 0xAC});
      txs[i].outputs.push_back({.value = 1'000, .script_pubkey = script});
    }
  }
  return txs;
}

// Yardstick: the txids, which whoever delivers or checks a block needs anyway.
void match_block(benchmark::State& state) {
  const auto txs = synthetic_block();
  std::vector<chain::Txid> txids;
  for (const auto& tx : txs) txids.push_back(tx.txid());
  BloomFilter filter(design_filter(1'000, 1e-5), 7, UpdateFlags::All);
  for (const auto& element : random_elements(1'000, 20)) filter.insert(element);
  std::size_t matched = 0;
  compare(
      state, txs.size(),
      [&] {
        for (std::size_t i = 0; i < txs.size(); ++i) matched += match_and_update(txs[i], txids[i], filter) ? 1U : 0U;
      },
      [&] {
        for (const auto& tx : txs) benchmark::DoNotOptimize(tx.txid());
      });
  benchmark::DoNotOptimize(matched);
}
BENCHMARK(match_block)->UseManualTime();

}  // namespace
}  // namespace spv::bip37

BENCHMARK_MAIN();
