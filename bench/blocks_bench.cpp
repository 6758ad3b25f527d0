// What whole blocks cost: reading, hashing and matching a block of 2,000 transactions like those of the main chain,
// against one SHA-256 over the same bytes, with few and with very many watched scripts. CPU time, turn by turn, so that
// a busy machine slows both alike.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/resources.h"
#include "bip37/partial_merkle_tree.h"
#include "sync/scan/block_matcher.h"
#include "util/codec.h"
#include "util/hash.h"
#include "util/rng.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kTransactions = 2'000;
constexpr int kTurns = 200;

using bench::cpu_seconds;
using bench::median;

util::Bytes script(util::Rng& rng) {
  util::Bytes out{0x00, 0x14};
  const auto hash = rng.bytes(20);
  out.insert(out.end(), hash.begin(), hash.end());
  return out;
}

// One to four inputs with a signature and a key each as witness, one to four outputs: 390 bytes on average, as on the
// main chain. Some carry data as large as the rest of them.
chain::Transaction payment(util::Rng& rng) {
  chain::Transaction tx;
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
    chain::TxInput input;
    const auto txid = rng.bytes(32);
    std::copy(txid.begin(), txid.end(), input.previous.txid.bytes.begin());
    input.witness = {rng.bytes(71), rng.bytes(33)};
    if (rng.below(4) == 0) input.witness.push_back(rng.bytes(rng.below(600)));
    tx.inputs.push_back(std::move(input));
  }
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) tx.outputs.push_back({1'000, script(rng)});
  return tx;
}

struct Sample {
  chain::BlockHeader header;
  util::Bytes body;
};

Sample make_block() {
  util::Rng rng(1);
  std::vector<chain::Transaction> txs(1);
  txs[0].inputs.resize(1);
  txs[0].inputs[0].previous.index = 0xFFFF'FFFF;
  txs[0].inputs[0].script_sig = {1, 2, 3};
  txs[0].outputs.push_back({50, script(rng)});
  while (txs.size() < kTransactions) txs.push_back(payment(rng));
  std::vector<chain::Txid> txids;
  util::Writer body;
  body.compact_size(txs.size());
  for (const auto& tx : txs) {
    tx.encode(body);
    txids.push_back(tx.txid());
  }
  Sample sample;
  sample.header.merkle_root = bip37::merkle_root(txids);
  sample.body = body.take();
  return sample;
}

/// A matcher that watches so many scripts, none of them in the block, and what each of its turns took.
struct Case {
  explicit Case(std::size_t count) : scripts(count) {
    util::Rng rng(2);
    std::vector<util::Bytes> watched;
    for (std::size_t i = 0; i < scripts; ++i) watched.push_back(script(rng));
    matcher.watch(watched, {});
  }

  std::size_t scripts;
  sync::BlockMatcher matcher{util::Rng(3)};
  std::vector<double> seconds;
};

double bare_hash(const Sample& block) {
  const double start = cpu_seconds();
  if (util::sha256(block.body).is_zero()) std::abort();
  return cpu_seconds() - start;
}

double match(sync::BlockMatcher& matcher, const Sample& block) {
  const double start = cpu_seconds();
  if (!matcher.match(block.header, block.body, false)) std::abort();
  return cpu_seconds() - start;
}

}  // namespace

int main() {
  const Sample block = make_block();
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
