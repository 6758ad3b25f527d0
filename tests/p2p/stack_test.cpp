// R12: what a peer sends decides neither how deep we recurse nor whether time grows faster than size.
#include <algorithm>
#include <pthread.h>

#include <gtest/gtest.h>

#include "bench/resources.h"
#include "bip37/partial_merkle_tree.h"
#include "p2p/message.h"
#include "tests/p2p/samples.h"
#include "util/codec.h"
#include "util/ensure.h"

namespace spv::p2p {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kStackBytes = 512 * 1024;  // its frames are several times as large
#else
constexpr std::size_t kStackBytes = 64 * 1024;
#endif

using bench::cpu_seconds;

/// Decodes a payload on a small stack; a merkle block is checked too. Gives the seconds of the quickest of ten.
double decode_on_small_stack(std::string_view command, const util::Bytes& payload) {
  struct Job {
    std::string_view command;
    const util::Bytes& payload;
    double seconds = 1e9;
  } job{command, payload};
  const auto run = [](void* argument) -> void* {
    auto& work = *static_cast<Job*>(argument);
    for (int i = 0; i < 10; ++i) {
      const double start = cpu_seconds();
      const auto decoded = decode_payload(work.command, work.payload);
      if (decoded && std::holds_alternative<MerkleBlock>(*decoded)) {
        static_cast<void>(bip37::extract_matches(std::get<MerkleBlock>(*decoded).tree).has_value());
      }
      work.seconds = std::min(work.seconds, cpu_seconds() - start);
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  util::ensure(pthread_attr_setstacksize(&attributes, kStackBytes) == 0, "no such stack");
  pthread_t thread{};
  util::ensure(pthread_create(&thread, &attributes, run, &job) == 0, "no thread");
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return job.seconds;
}

/// A tree in which every transaction matches: as many nodes as there can be.
util::Bytes full_tree(std::uint32_t transactions) {
  util::Writer out;
  chain::BlockHeader{}.encode(out);
  out.integer(transactions).compact_size(transactions);
  for (std::uint32_t i = 0; i < transactions; ++i) {
    util::Hash256 leaf{};
    leaf.bytes[0] = static_cast<std::uint8_t>(i);
    leaf.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
    out.hash(leaf);
  }
  out.var_bytes(util::Bytes(transactions * 2 / 8 + 2, 0xFF));
  return out.take();
}

util::Bytes many_inputs(std::size_t count) {
  chain::Transaction tx = test::payment();
  tx.inputs.resize(count, tx.inputs[0]);
  return encode_payload(Tx{tx});
}

TEST(SmallStack, R12_TheLargestTreeTheLongestScriptAndTheMostInputsFit) {
  decode_on_small_stack("merkleblock", full_tree(16'666));
  decode_on_small_stack("tx", many_inputs(90'000));
  chain::Transaction tx = test::payment();
  tx.outputs[0].script_pubkey.assign(3'900'000, 0x4C);  // pushes within pushes
  decode_on_small_stack("tx", encode_payload(Tx{tx}));
  tx = test::payment();
  tx.inputs[0].witness.assign(500'000, {});
  decode_on_small_stack("tx", encode_payload(Tx{tx}));
}

TEST(SmallStack, R12_TimeGrowsAsTheMessageDoes) {
  const double small = decode_on_small_stack("tx", many_inputs(10'000));
  const double large = decode_on_small_stack("tx", many_inputs(80'000));
  EXPECT_LT(large, small * 8 * 4 + 0.005);
  const double low = decode_on_small_stack("merkleblock", full_tree(2'000));
  const double high = decode_on_small_stack("merkleblock", full_tree(16'000));
  EXPECT_LT(high, low * 8 * 4 + 0.005);
}

// The quickest of ten on a stack of 64 KiB; a sanitizer slows it down several times.
TEST(SmallStack, R8_AMegabyteOfTransactionDecodesInFiftyMilliseconds) {
#ifdef __SANITIZE_ADDRESS__
  constexpr double kPerMegabyte = 0.5;
#else
  constexpr double kPerMegabyte = 0.05;
#endif
  for (const std::size_t inputs : {9'000U, 90'000U}) {  // 0.4 and 4 MB
    const auto payload = many_inputs(inputs);
    const double megabytes = static_cast<double>(payload.size()) / 1e6;
    EXPECT_LT(decode_on_small_stack("tx", payload), kPerMegabyte * megabytes);
  }
}

}  // namespace
}  // namespace spv::p2p
