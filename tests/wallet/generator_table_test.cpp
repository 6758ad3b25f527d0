#include "wallet/generator_table.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/codec.h"
#include "util/hash.h"
#include "util/rng.h"
#include "wallet/descriptor.h"

namespace spv::wallet {
namespace {

constexpr std::string_view kOrder = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
constexpr std::string_view kOrderLessOne = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";

PublicKey generator() {
  return PublicKey::parse(test::hex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")).value();
}

util::Bytes small(std::uint8_t value) {
  util::Bytes scalar(32);
  scalar.back() = value;
  return scalar;
}

std::optional<CompressedKey> bytes_of(const std::optional<PublicKey>& key) {
  if (!key) return std::nullopt;
  return key->compressed();
}

void expect_same_sum(const PublicKey& key, util::ByteView scalar) {
  EXPECT_EQ(bytes_of(key.plus(scalar, &GeneratorTable::shared())), bytes_of(key.plus(scalar)));
}

TEST(GeneratorTable, AgreesWithTheLibraryOnAnyScalar) {
  util::Rng rng(7);
  PublicKey key = generator();
  for (int i = 0; i < 500; ++i) {
    const auto scalar = util::sha256(util::Writer().integer(rng.next()).data());
    expect_same_sum(key, scalar.view());
    key = key.plus(scalar.view()).value();
  }
}

TEST(GeneratorTable, AgreesOnEveryDigitAtEveryPlace) {
  const PublicKey key = generator().plus(small(77)).value();
  for (std::size_t place = 0; place < 32; ++place) {
    for (const unsigned digit : {1U, 2U, 127U, 128U, 254U, 255U}) {
      util::Bytes scalar(32);
      scalar[place] = static_cast<std::uint8_t>(digit);
      expect_same_sum(key, scalar);
    }
  }
}

TEST(GeneratorTable, AddsNothingForZero) { expect_same_sum(generator(), small(0)); }

TEST(GeneratorTable, DoublesAPoint) { expect_same_sum(generator(), small(1)); }

TEST(GeneratorTable, GivesNothingForInfinity) {
  const util::Bytes minus_one = test::hex(kOrderLessOne);
  EXPECT_FALSE(generator().plus(minus_one, &GeneratorTable::shared()));
  expect_same_sum(generator(), minus_one);
}

TEST(GeneratorTable, RefusesScalarsFromTheGroupOrderOn) {
  for (const util::Bytes& scalar : {test::hex(kOrder), util::Bytes(32, 0xFF)}) {
    EXPECT_FALSE(generator().plus(scalar, &GeneratorTable::shared()));
    expect_same_sum(generator(), scalar);
  }
}

TEST(GeneratorTable, GivesManyScriptsThatAreThoseOfSingleCalls) {
  constexpr std::string_view kKey =
      "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
  const std::string key = std::string(kKey) + "/0/*";
  for (const std::string& text : {"pkh(" + key + ")", "sh(wpkh(" + key + "))", "wpkh(" + key + ")", "tr(" + key + ")",
                                  "wsh(sortedmulti(1," + key + "," + std::string(kKey) + "/1/*))"}) {
    const auto descriptor = Descriptor::parse(text, chain::params(chain::Network::Main)).value().front();
    std::uint32_t index = 5;
    descriptor.each_script(5, 2'105, [&](util::ByteView script) {
      if (index % 100 == 5) {
        EXPECT_EQ(util::to_bytes(script), descriptor.script_at(index)) << text << " " << index;
      }
      ++index;
    });
    EXPECT_EQ(index, 2'105U);
  }
}

TEST(GeneratorTable, VisitsNoScriptOfAnEmptyRange) {
  const auto descriptor = Descriptor::parse("pk(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)",
                                            chain::params(chain::Network::Main))
                              .value()
                              .front();
  descriptor.each_script(7, 7, [](util::ByteView) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace spv::wallet
