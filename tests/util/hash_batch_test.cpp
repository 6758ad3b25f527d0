#include "util/hash_batch.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "util/hash.h"
#include "util/rng.h"

namespace spv::util {
namespace {

/// A message cut into three parts, the outer ones of less than 32 bytes.
PartedMessage cut(const Bytes& bytes, Rng& rng) {
  const ByteView all(bytes);
  const std::size_t first = std::min<std::size_t>(rng.below(32), all.size());
  const std::size_t last = std::min<std::size_t>(rng.below(32), all.size() - first);
  return {all.first(first), all.subspan(first, all.size() - first - last), all.last(last)};
}

class HashBatch : public testing::TestWithParam<HashLanes> {};

TEST_P(HashBatch, EqualsOneHashAfterAnotherForEveryLength) {
  Rng rng(1);
  std::vector<Bytes> bytes;
  for (std::size_t size = 0; size <= 700; ++size) bytes.push_back(rng.bytes(size));
  bytes.push_back(rng.bytes(100'000));
  std::vector<PartedMessage> messages;
  for (const auto& each : bytes) messages.push_back(cut(each, rng));
  std::vector<Hash256> hashes(messages.size());
  sha256d_each(messages, hashes.data(), GetParam());
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(hashes[i], sha256d(bytes[i])) << bytes[i].size();
}

TEST_P(HashBatch, EqualsOneHashAfterAnotherForMessagesInOnePart) {
  Rng rng(4);
  std::vector<Bytes> bytes;
  for (std::size_t size = 0; size <= 700; ++size) bytes.push_back(rng.bytes(size));
  std::vector<PartedMessage> messages;
  for (const auto& each : bytes) messages.push_back({{}, each, {}});
  std::vector<Hash256> hashes(messages.size());
  sha256d_each(messages, hashes.data(), GetParam());
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(hashes[i], sha256d(bytes[i])) << bytes[i].size();
}

TEST_P(HashBatch, MessagesOfVeryDifferentLengthsDoNotMix) {
  Rng rng(2);
  for (int run = 0; run < 100; ++run) {
    std::vector<Bytes> bytes;
    for (std::uint64_t n = rng.below(9); n > 0; --n) bytes.push_back(rng.bytes(rng.below(2) == 0 ? 60 : 5'000));
    std::vector<PartedMessage> messages;
    for (const auto& each : bytes) messages.push_back(cut(each, rng));
    std::vector<Hash256> hashes(messages.size());
    sha256d_each(messages, hashes.data(), GetParam());
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(hashes[i], sha256d(bytes[i]));
  }
}

TEST_P(HashBatch, FoldsNeighboursAlsoInPlace) {
  Rng rng(3);
  for (std::size_t pairs = 0; pairs <= 33; ++pairs) {
    std::vector<Hash256> nodes(2 * pairs);
    for (auto& node : nodes) {
      const auto random = rng.bytes(Hash256::kSize);
      std::copy(random.begin(), random.end(), node.bytes.begin());
    }
    std::vector<Hash256> expected;
    for (std::size_t i = 0; i < pairs; ++i)
      expected.push_back(sha256d_pair(nodes[2 * i].view(), nodes[2 * i + 1].view()));
    sha256d_neighbours(nodes.data(), pairs, nodes.data(), GetParam());
    nodes.resize(pairs);
    EXPECT_EQ(nodes, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, HashBatch, testing::Values(HashLanes::One, HashLanes::Two, HashLanes::Sixteen));

}  // namespace
}  // namespace spv::util
