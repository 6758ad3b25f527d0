#include "wallet/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"

namespace spv::wallet {
namespace {

using util::Bytes;

util::Bytes hex(std::string_view text) { return test::hex(text); }

util::Hash160 sample_hash() {
  util::Hash160 hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<std::uint8_t>(i + 1);
  return hash;
}

Bytes element_of(std::string_view script) {
  const Bytes bytes = hex(script);
  const auto element = filter_element(bytes);
  return element ? util::to_bytes(*element) : Bytes{};
}

TEST(Script, StandardFormsAreByteExact) {
  EXPECT_EQ(p2pkh_script(sample_hash()), hex("76a9140102030405060708090a0b0c0d0e0f101112131488ac"));
  EXPECT_EQ(p2sh_script(sample_hash()), hex("a9140102030405060708090a0b0c0d0e0f101112131487"));
  EXPECT_EQ(p2wpkh_script(sample_hash()), hex("00140102030405060708090a0b0c0d0e0f1011121314"));
  EXPECT_EQ(witness_script(1, Bytes(32, 0xAB))[0], 0x51);
  EXPECT_EQ(witness_script(16, hex("0102")), hex("60020102"));
}

TEST(Script, RecognisesItsOwnForms) {
  EXPECT_EQ(as_p2pkh(p2pkh_script(sample_hash())), sample_hash());
  EXPECT_EQ(as_p2sh(p2sh_script(sample_hash())), sample_hash());
  EXPECT_FALSE(as_p2pkh(p2sh_script(sample_hash())));
  EXPECT_FALSE(as_p2sh(p2pkh_script(sample_hash())));
  Bytes changed = p2pkh_script(sample_hash());
  changed.back() = 0xAD;
  EXPECT_FALSE(as_p2pkh(changed));
}

TEST(Script, WitnessProgramNeedsTheExactShapeOfBip141) {
  const auto program = [](std::string_view script) {
    const Bytes bytes = hex(script);
    return as_witness_program(bytes).has_value();
  };
  EXPECT_TRUE(program("00020102"));
  EXPECT_TRUE(program("60020102"));
  EXPECT_FALSE(program("61020102"));    // OP_NOP
  EXPECT_FALSE(program("4f020102"));    // OP_1NEGATE
  EXPECT_FALSE(program("000101"));      // one byte
  EXPECT_FALSE(program("0002010203"));  // length does not fit
  EXPECT_FALSE(
      program("00"
              "29" +
              std::string(82, '1')));  // 41 bytes
  EXPECT_FALSE(program(""));
}

TEST(Script, FilterElementIsTheHashOrProgramOfStandardScripts) {
  const Bytes hash = util::to_bytes(sample_hash());
  EXPECT_EQ(element_of("76a9140102030405060708090a0b0c0d0e0f101112131488ac"), hash);
  EXPECT_EQ(element_of("a9140102030405060708090a0b0c0d0e0f101112131487"), hash);
  EXPECT_EQ(element_of("00140102030405060708090a0b0c0d0e0f1011121314"), hash);
  EXPECT_EQ(element_of("5120" + std::string(64, 'a')), Bytes(32, 0xAA));
}

TEST(Script, FilterElementOfOtherScriptsIsTheirLongestPush) {
  EXPECT_EQ(element_of("21" + std::string(66, '2') + "ac"), Bytes(33, 0x22));
  EXPECT_EQ(element_of("0101020202"), hex("0202"));
  EXPECT_EQ(element_of("4c03010203"), hex("010203"));
  EXPECT_EQ(element_of("4d0300010203"), hex("010203"));
  EXPECT_EQ(element_of("4e03000000010203"), hex("010203"));
}

TEST(Script, FilterElementIsAbsentWhereNothingIsPushed) {
  EXPECT_TRUE(element_of("").empty());
  EXPECT_TRUE(element_of("51").empty());
  EXPECT_TRUE(element_of("00ac").empty());
}

TEST(Script, FilterElementStopsAtAPushThatIsCutShort) {
  EXPECT_EQ(element_of("010105aabb"), hex("01"));
  EXPECT_TRUE(element_of("4effffffff01").empty());
  EXPECT_TRUE(element_of("4d01").empty());
}

RC_GTEST_PROP(Script, FilterElementOfAnyBytesLiesWithinThem, (const Bytes& script)) {
  const auto element = filter_element(script);
  if (!element) return;
  RC_ASSERT(!element->empty());
  RC_ASSERT(element->data() >= script.data() && element->data() + element->size() <= script.data() + script.size());
}

}  // namespace
}  // namespace spv::wallet
