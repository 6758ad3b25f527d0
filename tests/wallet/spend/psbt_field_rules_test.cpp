// The rules of single fields (BIP174, 370, 371, 373): each limit is met, and missed by one.
#include <gtest/gtest.h>

#include "tests/wallet/spend/psbt_samples.h"
#include "util/codec.h"
#include "wallet/extended_key.h"
#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

using util::Bytes;
using Kind = PsbtMapKind;

bool holds(Kind kind, std::uint32_t version, std::uint64_t type, const Bytes& key, const Bytes& value) {
  PsbtMap map;
  map.append({type, key, value});
  return check_fields(map, kind, version, "a map").has_value();
}
bool input_holds(std::uint64_t type, const Bytes& key, const Bytes& value) {
  return holds(Kind::Input, 0, type, key, value);
}
/// Of a field whose key has no data.
bool value_holds(std::uint64_t type, const Bytes& value) { return input_holds(type, {}, value); }

/// Which sizes from 0 to 5,000 a rule takes.
template <typename Holds>
std::vector<std::size_t> sizes(Holds takes) {
  std::vector<std::size_t> found;
  for (std::size_t size = 0; size <= 5'000; ++size) {
    if (takes(size)) found.push_back(size);
  }
  return found;
}
using Sizes = std::vector<std::size_t>;

Bytes point() {
  static const spv::test::PsbtParty party(1);
  return util::to_bytes(party.master.to_public().key().compressed());
}
/// Points one behind the other, and as many bytes more.
Bytes points(std::size_t count, std::size_t more = 0) {
  Bytes out;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes next = point();
    out.insert(out.end(), next.begin(), next.end());
  }
  out.resize(out.size() + more);
  return out;
}

TEST(PsbtFieldRules, KeysOfOneSize) {
  const auto key_sizes = [](std::uint64_t type, const Bytes& value) {
    return sizes([&](std::size_t size) { return input_holds(type, Bytes(size), value); });
  };
  EXPECT_EQ(key_sizes(0x04, {}), Sizes{0}) << "redeem script";
  EXPECT_EQ(key_sizes(0x0A, {}), Sizes{20}) << "RIPEMD160";
  EXPECT_EQ(key_sizes(0x0B, {}), Sizes{32}) << "SHA256";
  EXPECT_EQ(key_sizes(0x0C, {}), Sizes{20}) << "HASH160";
  EXPECT_EQ(key_sizes(0x0D, {}), Sizes{32}) << "HASH256";
  EXPECT_EQ(key_sizes(0x14, Bytes(64)), Sizes{64}) << "key and leaf";
  EXPECT_EQ(key_sizes(0x16, Bytes(5)), Sizes{32}) << "x-only key";
}

TEST(PsbtFieldRules, ControlBlocksHaveUpTo128Hashes) {
  Sizes expected;
  for (std::size_t hashes = 0; hashes <= 128; ++hashes) expected.push_back(33 + 32 * hashes);
  EXPECT_EQ(sizes([](std::size_t size) { return input_holds(0x15, Bytes(size), Bytes{0x51, 0xC0}); }), expected);
  EXPECT_FALSE(input_holds(0x15, Bytes(33), {})) << "a leaf has its version";
}

TEST(PsbtFieldRules, ValuesOfOneSize) {
  const auto value_sizes = [](Kind kind, std::uint32_t version, std::uint64_t type, const Bytes& key) {
    return sizes([&](std::size_t size) { return holds(kind, version, type, key, Bytes(size)); });
  };
  EXPECT_EQ(value_sizes(Kind::Global, 2, 0x02, {}), Sizes{4}) << "transaction version";
  EXPECT_EQ(value_sizes(Kind::Global, 2, 0x06, {}), Sizes{1}) << "modifiable flags";
  EXPECT_EQ(value_sizes(Kind::Output, 2, 0x03, {}), Sizes{8}) << "amount";
  EXPECT_EQ(value_sizes(Kind::Input, 2, 0x0E, {}), Sizes{32}) << "previous txid";
  EXPECT_EQ(value_sizes(Kind::Input, 0, 0x13, {}), (Sizes{64, 65})) << "taproot signature";
  EXPECT_EQ(value_sizes(Kind::Input, 0, 0x1B, points(2)), Sizes{66}) << "musig2 nonce";
  EXPECT_EQ(value_sizes(Kind::Input, 0, 0x1C, points(2)), Sizes{32}) << "musig2 signature";
}

TEST(PsbtFieldRules, PathsHaveAFingerprintAndUpTo255Steps) {
  Sizes expected;
  for (std::size_t steps = 0; steps <= 255; ++steps) expected.push_back(4 + 4 * steps);
  EXPECT_EQ(sizes([](std::size_t size) { return input_holds(0x06, point(), Bytes(size)); }), expected);
  EXPECT_FALSE(input_holds(0x06, points(1, 1), Bytes(4))) << "the key is one";
  EXPECT_FALSE(input_holds(0x06, Bytes(33), Bytes(4)));
}

TEST(PsbtFieldRules, TaprootPathsNameTheirLeavesFirst) {
  const auto takes = [](std::uint8_t leaves, std::size_t rest) {
    Bytes value{leaves};
    value.resize(1 + rest);
    return input_holds(0x16, Bytes(32), value);
  };
  EXPECT_FALSE(input_holds(0x16, Bytes(32), {}));
  EXPECT_TRUE(takes(0, 4));
  EXPECT_FALSE(takes(0, 3));
  EXPECT_TRUE(takes(1, 32 + 4));
  EXPECT_FALSE(takes(1, 32));
  EXPECT_FALSE(takes(1, 32 + 3));
  EXPECT_TRUE(takes(2, 64 + 8));
  EXPECT_FALSE(takes(2, 63));
  EXPECT_TRUE(takes(100, 3'200 + 4));
  EXPECT_FALSE(takes(101, 3'200 + 4));
}

TEST(PsbtFieldRules, ExtendedKeysHave78BytesAndEndWithAPoint) {
  const auto takes = [](std::size_t before, const Bytes& end) {
    Bytes key(before);
    key.insert(key.end(), end.begin(), end.end());
    return holds(Kind::Global, 0, 0x01, key, Bytes(4));
  };
  EXPECT_TRUE(takes(45, point()));
  EXPECT_FALSE(takes(44, point()));
  EXPECT_FALSE(takes(46, point()));
  EXPECT_FALSE(takes(45, Bytes(33)));
}

TEST(PsbtFieldRules, MusigKeysAreTwoPointsAndPerhapsALeaf) {
  const auto takes = [](const Bytes& key) { return input_holds(0x1C, key, Bytes(32)); };
  EXPECT_TRUE(takes(points(2)));
  EXPECT_TRUE(takes(points(2, 32)));
  for (const std::size_t more : {1U, 31U, 33U}) EXPECT_FALSE(takes(points(2, more))) << more;
  EXPECT_FALSE(takes(points(1, 33))) << "the second is none";
  Bytes first(33);
  const Bytes second = points(1);
  first.insert(first.end(), second.begin(), second.end());
  EXPECT_FALSE(takes(first)) << "the first is none";
}

TEST(PsbtFieldRules, MusigParticipantsAreOneOrMorePoints) {
  const auto takes = [](const Bytes& value) { return input_holds(0x1A, point(), value); };
  EXPECT_FALSE(takes({}));
  for (const std::size_t count : {1U, 2U, 20U}) {
    EXPECT_TRUE(takes(points(count)));
    for (const std::size_t more : {1U, 31U, 32U, 33U}) EXPECT_FALSE(takes(points(count, more))) << count << ' ' << more;
  }
  EXPECT_FALSE(input_holds(0x1A, points(1, 1), point()));
}

TEST(PsbtFieldRules, ProprietaryKeysHaveANameAndASubtype) {
  const auto takes = [](const Bytes& key) { return input_holds(kPsbtProprietary, key, {}); };
  EXPECT_TRUE(takes({1, 0x55, 0}));
  EXPECT_TRUE(takes({0, 7, 1, 2}));
  EXPECT_FALSE(takes({}));
  EXPECT_FALSE(takes({1, 0x55}));
  EXPECT_FALSE(takes({2, 0x55}));
}

TEST(PsbtFieldRules, SignaturesAreStrictDerWithTheirType) {
  const auto takes = [](const Bytes& value) { return input_holds(0x02, point(), value); };
  EXPECT_TRUE(takes({0x30, 6, 2, 1, 1, 2, 1, 1, 1}));
  EXPECT_FALSE(takes({0x30, 6, 2, 1, 1, 2, 1, 1})) << "without its type";
  EXPECT_FALSE(takes({}));
}

TEST(PsbtFieldRules, LockTimesAreHeightsOrTimes) {
  const auto takes = [](std::uint64_t type, std::uint32_t number) {
    return holds(Kind::Input, 2, type, {}, encode_little_endian(number));
  };
  EXPECT_FALSE(takes(0x11, 499'999'999));
  EXPECT_TRUE(takes(0x11, 500'000'000));
  EXPECT_FALSE(takes(0x12, 0));
  EXPECT_TRUE(takes(0x12, 1));
  EXPECT_TRUE(takes(0x12, 499'999'999));
  EXPECT_FALSE(takes(0x12, 500'000'000));
  for (const std::size_t size : {0U, 3U, 5U}) EXPECT_FALSE(holds(Kind::Input, 2, 0x12, {}, Bytes(size, 1)));
}

TEST(PsbtFieldRules, CountsOutputsAndWitnessesEndWithTheirValue) {
  const auto is_count = [](const Bytes& value) { return holds(Kind::Global, 2, 0x04, {}, value); };
  EXPECT_TRUE(is_count({0xFC}));
  EXPECT_TRUE(is_count({0xFD, 0xFD, 0}));
  EXPECT_FALSE(is_count({}));
  EXPECT_FALSE(is_count({1, 0}));
  EXPECT_FALSE(is_count({0xFD, 0xFC, 0})) << "not the shortest form";
  EXPECT_TRUE(value_holds(0x01, {1, 2, 3, 4, 5, 6, 7, 8, 1, 0x51}));
  EXPECT_FALSE(value_holds(0x01, {1, 2, 3, 4, 5, 6, 7, 8, 1, 0x51, 0}));
  EXPECT_FALSE(value_holds(0x01, {1, 2, 3, 4, 5, 6, 7, 8, 2, 0x51}));
  EXPECT_TRUE(value_holds(0x08, {0}));
  EXPECT_TRUE(value_holds(0x08, {3, 0, 0, 1, 7}));
  EXPECT_TRUE(value_holds(0x08, {3, 0, 0, 0})) << "empty items";
  EXPECT_FALSE(value_holds(0x08, {3, 0, 0})) << "one item too few";
  EXPECT_FALSE(value_holds(0x08, {1, 0, 0})) << "one byte too many";
}

/// A tree of leaves, by their depths in the order of a walk.
bool is_tree(const std::vector<std::uint8_t>& depths, std::uint8_t leaf_version = 0xC0) {
  util::Writer value;
  for (const std::uint8_t depth : depths) value.integer(depth).integer(leaf_version).var_bytes(Bytes{0x51});
  return holds(Kind::Output, 0, 0x06, {}, value.data());
}

TEST(PsbtFieldRules, TaprootTreesAreWhole) {
  for (const auto& good : std::vector<std::vector<std::uint8_t>>{
           {0}, {1, 1}, {1, 2, 2}, {2, 2, 1}, {2, 2, 2, 2}, {2, 3, 3, 1}, {3, 3, 2, 1}}) {
    EXPECT_TRUE(is_tree(good)) << ::testing::PrintToString(good);
  }
  for (const auto& bad : std::vector<std::vector<std::uint8_t>>{
           {}, {1}, {0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 2}, {2, 1, 2}, {2, 1, 1}, {1, 2, 1}, {3, 3, 1, 2}}) {
    EXPECT_FALSE(is_tree(bad)) << ::testing::PrintToString(bad);
  }
  EXPECT_FALSE(is_tree({0}, 0xC1)) << "leaf versions are even";
  Bytes cut{0, 0xC0, 2, 0x51};
  EXPECT_FALSE(holds(Kind::Output, 0, 0x06, {}, cut));
}

TEST(PsbtFieldRules, TaprootTreesAreAtMost128Deep) {
  const auto chain = [](std::uint8_t deepest) {
    std::vector<std::uint8_t> depths{deepest};
    for (std::uint8_t depth = deepest; depth > 0; --depth) depths.push_back(depth);
    return depths;
  };
  EXPECT_TRUE(is_tree(chain(127)));
  EXPECT_TRUE(is_tree(chain(128)));
  EXPECT_FALSE(is_tree(chain(129)));
}

TEST(PsbtFieldRules, EachVersionHasItsOwnFields) {
  struct Row {
    Kind kind;
    std::uint64_t type;
    std::size_t size;
  };
  for (const auto& row : {Row{Kind::Global, 0x02, 4}, Row{Kind::Global, 0x05, 1}, Row{Kind::Input, 0x0F, 4},
                          Row{Kind::Output, 0x03, 8}, Row{Kind::Output, 0x04, 1}}) {
    EXPECT_TRUE(holds(row.kind, 2, row.type, {}, Bytes(row.size))) << row.type;
    EXPECT_FALSE(holds(row.kind, 0, row.type, {}, Bytes(row.size))) << row.type;
  }
  const Bytes empty_transaction(10);
  EXPECT_TRUE(holds(Kind::Global, 0, 0x00, {}, empty_transaction));
  EXPECT_FALSE(holds(Kind::Global, 2, 0x00, {}, empty_transaction));
  for (const std::uint32_t version : {0U, 2U}) {
    EXPECT_TRUE(holds(Kind::Global, version, 0xFB, {}, Bytes(4)));
    EXPECT_TRUE(holds(Kind::Input, version, 0xF0, Bytes(7), Bytes(9))) << "what is not known is kept";
  }
}

}  // namespace
}  // namespace spv::wallet::spend
