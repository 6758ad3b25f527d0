#include "wallet/bech32.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chain/params.h"
#include "tests/support/vectors.h"
#include "wallet/address.h"

namespace spv::wallet {
namespace {

using util::Bytes;

util::Bytes hex(std::string_view text) { return test::hex(text); }

Bech32Error reason(std::string_view text) { return bech32_decode(text).error(); }

TEST(Bech32, TellsTheTwoVariantsApart) {
  const auto bech32 = bech32_decode("A12UEL5L");
  ASSERT_TRUE(bech32);
  EXPECT_EQ(bech32->variant, Bech32Variant::Bech32);
  EXPECT_EQ(bech32->prefix, "a");
  EXPECT_TRUE(bech32->values.empty());
  const auto bech32m = bech32_decode("a1lqfn3a");
  ASSERT_TRUE(bech32m);
  EXPECT_EQ(bech32m->variant, Bech32Variant::Bech32m);
}

TEST(Bech32, SaysWhyATextIsRefused) {
  EXPECT_EQ(reason("A12uEL5L"), Bech32Error::MixedCase);
  EXPECT_EQ(reason("pzry9x0s0muk"), Bech32Error::NoSeparator);
  EXPECT_EQ(reason("1pzry9x0s0muk"), Bech32Error::NoSeparator);
  EXPECT_EQ(reason("x1b4n0q5v"), Bech32Error::BadCharacter);
  EXPECT_EQ(reason("li1dgmt3"), Bech32Error::Length);
  EXPECT_EQ(reason("a12uel5m"), Bech32Error::BadChecksum);
  EXPECT_EQ(reason("\x20"
                   "1nwldj5"),
            Bech32Error::BadCharacter);
  EXPECT_EQ(reason(std::string(91, 'q')), Bech32Error::Length);
}

TEST(Bech32, ChecksumFindsEveryChangedCharacter) {
  const std::string text = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  ASSERT_TRUE(bech32_decode(text));
  for (std::size_t i = 3; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'q' ? 'p' : 'q';
    EXPECT_FALSE(bech32_decode(changed)) << changed;
  }
}

TEST(Bech32, PaddingMustBeShortAndZero) {
  EXPECT_EQ(from_five_bits(hex("1f1c")), hex("ff"));
  EXPECT_FALSE(from_five_bits(hex("1f1d")));    // not zero
  EXPECT_FALSE(from_five_bits(hex("1f1c00")));  // seven bits
  EXPECT_EQ(from_five_bits({}), Bytes{});
}

RC_GTEST_PROP(Bech32, DecodesWhatItEncodes, (Bytes bytes, bool modified)) {
  if (bytes.size() > 40) bytes.resize(40);
  const auto variant = modified ? Bech32Variant::Bech32m : Bech32Variant::Bech32;
  const auto text = bech32_decode(bech32_encode(variant, "bc", to_five_bits(bytes)));
  RC_ASSERT(text.has_value());
  RC_ASSERT(text->variant == variant);
  RC_ASSERT(from_five_bits(text->values) == bytes);
}

std::string raw_text(const boost::json::value& row) {
  const Bytes bytes = test::hex(row.at("bytes_hex"));
  return {bytes.begin(), bytes.end()};
}

/// Both files have the same four lists; `variant` is the one that their checksums are of.
void check_texts(const boost::json::value& file, Bech32Variant variant) {
  for (const auto& row : file.at("valid_checksum").as_array()) {
    const auto text = bech32_decode(raw_text(row));
    ASSERT_TRUE(text) << raw_text(row);
    EXPECT_EQ(text->variant, variant) << raw_text(row);
    EXPECT_EQ(bech32_decode(bech32_encode(variant, text->prefix, text->values))->values, text->values);
  }
  for (const auto& row : file.at("invalid_checksum").as_array()) {
    const auto text = bech32_decode(raw_text(row));
    EXPECT_FALSE(text && text->variant == variant) << raw_text(row);
  }
}

const chain::NetworkParams& network_of(std::string_view address) {
  const bool main = address.starts_with("bc") || address.starts_with("BC");
  return chain::params(main ? chain::Network::Main : chain::Network::Testnet3);
}

TEST(Bech32, Bip173Texts) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip173/bech32.json");
  check_texts(test::read_json(path), Bech32Variant::Bech32);
}

TEST(Bech32, Bip350Texts) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip350/bech32m.json");
  check_texts(test::read_json(path), Bech32Variant::Bech32m);
}

TEST(Bech32, W13_Bip173AddressesOfVersion0StandAndLaterOnesAreSuperseded) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip173/bech32.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("valid_address").as_array()) {
    const std::string address = raw_text(row);
    const Bytes expected = test::hex(row.at("scriptPubKey"));
    const auto script = script_of_address(address, network_of(address));
    if (expected[0] == 0) {
      ASSERT_TRUE(script) << address;
      EXPECT_EQ(*script, expected);
    } else {
      ASSERT_FALSE(script) << address;  // BIP350 gave these another checksum
      EXPECT_EQ(script.error().kind, AddressError::Kind::BadChecksum);
    }
  }
  for (const auto& row : file.at("invalid_address").as_array()) {
    EXPECT_FALSE(script_of_address(raw_text(row), network_of(raw_text(row)))) << raw_text(row);
  }
}

TEST(Bech32, W15_Bip350AddressesOfEveryWitnessVersionCanBePaid) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip350/bech32m.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("valid_address").as_array()) {
    const std::string address = raw_text(row);
    const auto script = script_of_address(address, network_of(address));
    ASSERT_TRUE(script) << address << ": " << script.error().message;
    EXPECT_EQ(*script, test::hex(row.at("scriptPubKey")));
    std::string lower = address;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(address_of_script(*script, network_of(address)), lower);
  }
  for (const auto& row : file.at("invalid_address").as_array()) {
    EXPECT_FALSE(script_of_address(raw_text(row), network_of(raw_text(row)))) << raw_text(row);
  }
}

}  // namespace
}  // namespace spv::wallet
