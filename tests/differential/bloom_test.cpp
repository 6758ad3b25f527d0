// The bloom filter and a node's matching, against a second implementation.
#include <algorithm>

#include <gtest/gtest.h>

#include "bip37/bloom_filter.h"
#include "bip37/matcher.h"
#include "bip37/murmur3.h"
#include "tests/differential/cases.h"
#include "tests/differential/reference_bloom.h"
#include "tests/support/scripts.h"

namespace spv::test {
namespace {

using bip37::BloomFilter;

struct Both {
  BloomFilter ours;
  reference::Bloom theirs;
};

Both random_filter(util::Rng& rng) {
  const bip37::FilterShape shape{.bytes = 1 + rng.below(rng.below(8) == 0 ? 36'000 : 64),
                                 .hash_funcs = static_cast<std::uint32_t>(1 + rng.below(rng.below(4) == 0 ? 50 : 8))};
  const auto tweak = static_cast<std::uint32_t>(rng.next());
  const auto flags = static_cast<unsigned>(rng.below(3));
  return {BloomFilter(shape, tweak, static_cast<bip37::UpdateFlags>(flags)),
          {.bits = std::vector<bool>(shape.bytes * 8), .hash_funcs = shape.hash_funcs, .tweak = tweak, .flags = flags}};
}

util::Bytes random_element(util::Rng& rng) {
  constexpr std::size_t kSizes[]{20, 32, 33, 36, 65};
  return rng.bytes(rng.below(2) == 0 ? kSizes[rng.below(5)] : rng.below(130));
}

bool same_bits(const Both& filter) {
  const auto bytes = filter.theirs.bytes();
  return std::equal(filter.ours.bits().begin(), filter.ours.bits().end(), bytes.begin(), bytes.end());
}

// A key, whole or of a wrong kind or size.
util::Bytes random_key(util::Rng& rng) {
  auto key = rng.bytes(rng.below(8) == 0 ? rng.below(70) : rng.below(2) == 0 ? 33 : 65);
  if (!key.empty()) key[0] = static_cast<std::uint8_t>(key.size() == 33 ? 2 + rng.below(3) : 4 + rng.below(4));
  return key;
}

util::Bytes random_script(util::Rng& rng) {
  const auto key = random_key(rng);
  switch (rng.below(7)) {
    case 0:
      return p2pk(key);
    case 1:
      return p2pkh(rng.bytes(20));
    case 2:
      return p2wpkh(rng.bytes(20));
    case 3:
      return multisig(static_cast<unsigned>(1 + rng.below(3)), {key, random_key(rng)});
    case 4: {
      // Counts above 16 are pushes.
      util::Bytes script{1, static_cast<std::uint8_t>(14 + rng.below(8))};
      const std::size_t keys = 16 + rng.below(5);
      for (std::size_t i = 0; i < keys; ++i) script = concat({script, push(random_key(rng))});
      return concat({script, push(util::Bytes{static_cast<std::uint8_t>(keys)}), op(0xAE)});
    }
    case 5:
      return rng.bytes(rng.below(40));  // opcodes and pushes that may run over the end
    default:
      return concat({push(rng.bytes(rng.below(300))), rng.bytes(rng.below(4))});
  }
}

chain::Transaction random_tx(util::Rng& rng) {
  chain::Transaction tx;
  for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
    chain::TxInput input;
    input.previous.index = static_cast<std::uint32_t>(rng.below(4));
    input.previous.txid.bytes[0] = static_cast<std::uint8_t>(rng.next());
    input.script_sig = random_script(rng);
    tx.inputs.push_back(std::move(input));
  }
  for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
    tx.outputs.push_back({static_cast<chain::Amount>(rng.below(1'000)), random_script(rng)});
  }
  return tx;
}

// Something that a node would look up in the transaction: a push, an outpoint, the txid.
util::Bytes element_of(const chain::Transaction& tx, util::Rng& rng) {
  const auto choice = rng.below(4);
  if (choice == 0) return util::to_bytes(tx.txid().view());
  if (choice == 1) {
    const auto bytes = tx.inputs[rng.below(tx.inputs.size())].previous.bytes();
    return {bytes.begin(), bytes.end()};
  }
  const auto& script = choice == 2 ? tx.outputs[rng.below(tx.outputs.size())].script_pubkey : tx.inputs[0].script_sig;
  if (script.empty() || script[0] == 0 || script[0] > 75 || script.size() <= script[0]) return script;
  return {script.begin() + 1, script.begin() + 1 + script[0]};
}

TEST(Differential, BloomFilterHoldsTheBitsOfASecondImplementation) {
  const auto cases = differential_cases(10'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    auto filter = random_filter(rng);
    std::vector<util::Bytes> elements;
    for (std::uint64_t n = rng.below(12); n > 0; --n) {
      const auto& element = elements.emplace_back(random_element(rng));
      const auto seed = static_cast<std::uint32_t>(rng.next());
      ASSERT_EQ(bip37::murmur3(seed, element), reference::murmur3(seed, element)) << "case " << number;
      filter.ours.insert(element);
      filter.theirs.insert(element);
    }
    ASSERT_TRUE(same_bits(filter)) << "case " << number;
    for (std::uint64_t n = 0; n < 8; ++n) elements.push_back(random_element(rng));
    for (const auto& element : elements) {
      ASSERT_EQ(filter.ours.contains(element), filter.theirs.contains(element)) << "case " << number;
    }
  }
}

TEST(Differential, MatchingFindsAndInsertsWhatASecondImplementationDoes) {
  const auto cases = differential_cases(10'000);
  std::uint64_t found = 0;
  std::uint64_t updated = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    auto filter = random_filter(rng);
    const auto tx = random_tx(rng);
    for (std::uint64_t n = rng.below(4); n > 0; --n) {
      const auto element = rng.below(4) != 0 ? element_of(tx, rng) : random_element(rng);
      filter.ours.insert(element);
      filter.theirs.insert(element);
    }
    const auto before = filter.ours;
    const bool matched = bip37::match_and_update(tx, tx.txid(), filter.ours);
    ASSERT_EQ(matched, filter.theirs.match_and_update(tx)) << "case " << number;
    ASSERT_TRUE(same_bits(filter)) << "case " << number;
    if (matched) ++found;
    if (before != filter.ours) ++updated;
  }
  EXPECT_GT(found, cases / 10) << "the cases must match often enough to mean something";
  EXPECT_GT(updated, cases / 100);
}

}  // namespace
}  // namespace spv::test
