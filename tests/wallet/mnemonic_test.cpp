#include "wallet/mnemonic.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chain/params.h"
#include "tests/support/vectors.h"
#include "util/hash.h"
#include "util/hex.h"
#include "wallet/extended_key.h"
#include "wallet/mnemonic_words.h"

namespace spv::wallet {
namespace {

using testing::HasSubstr;
using Kind = MnemonicError::Kind;

util::Bytes hex(std::string_view text) { return test::hex(text); }

constexpr std::string_view kAbandon =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

MnemonicError refused(std::string_view text) {
  const auto mnemonic = Mnemonic::parse(text);
  EXPECT_FALSE(mnemonic) << text;
  return mnemonic ? MnemonicError{} : mnemonic.error();
}

std::string hex_of(const Seed& seed) { return util::to_hex(seed.view()); }

TEST(Mnemonic, WordListIsTheOneOfBip39) {
  EXPECT_TRUE(std::ranges::is_sorted(kMnemonicWords));
  std::string lines;
  for (const auto word : kMnemonicWords) lines += std::string(word) + '\n';
  EXPECT_EQ(util::to_hex(util::sha256(util::as_bytes(lines)).view()),
            "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
}

TEST(Mnemonic, EntropyBecomesWordsAndSeed) {
  const auto mnemonic = Mnemonic::from_entropy(hex("00000000000000000000000000000000"));
  EXPECT_EQ(mnemonic.text(), kAbandon);
  EXPECT_EQ(
      hex_of(*mnemonic.seed("TREZOR")),
      "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c"
      "81b2f001698e7463b04");
  EXPECT_EQ(
      hex_of(*mnemonic.seed("")),
      "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20a"
      "d3d8d48b2d2ce9e38e4");
}

TEST(Mnemonic, TakesAnyWhiteSpaceAndUpperCase) {
  const auto mnemonic = Mnemonic::parse(
      "\n  ABANDON abandon\tabandon abandon\r\nabandon Abandon  abandon abandon abandon abandon abandon about \n");
  ASSERT_TRUE(mnemonic) << mnemonic.error().message;
  EXPECT_EQ(mnemonic->text(), kAbandon);
}

TEST(Mnemonic, AnUnknownWordIsNamedWithItsPlace) {
  const auto error = refused("abandon abandon abandom about");
  EXPECT_EQ(error.kind, Kind::UnknownWord);
  EXPECT_THAT(error.message, HasSubstr("word 3 (\"abandom\")"));
  EXPECT_THAT(error.message, HasSubstr("did you mean \"abandon\"?"));
}

TEST(Mnemonic, AMessageHoldsNoControlCharacters) {
  const auto error = refused("abandon \x1b[2Jxyz\x7f");
  EXPECT_TRUE(std::ranges::none_of(error.message, [](char c) { return c == 0x7F || (c >= 0 && c < 0x20); }));
}

TEST(Mnemonic, AWrongNumberOfWordsIsNamed) {
  const auto error = refused("abandon abandon about");
  EXPECT_EQ(error.kind, Kind::WordCount);
  EXPECT_THAT(error.message, HasSubstr("not 3"));
  EXPECT_EQ(refused("").kind, Kind::WordCount);
  EXPECT_EQ(refused(std::string(kAbandon) + " about").kind, Kind::WordCount);
}

TEST(Mnemonic, AWrongChecksumIsNamedAndRevealsNoWord) {
  const auto error =
      refused("abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon zoo");
  EXPECT_EQ(error.kind, Kind::BadChecksum);
  EXPECT_THAT(error.message, HasSubstr("checksum"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("zoo")));
}

TEST(Mnemonic, HostileTextsAreRefused) {
  EXPECT_EQ(refused(std::string(1'000'000, 'a')).kind, Kind::TooLong);
  const auto mnemonic = Mnemonic::parse(kAbandon).value();
  EXPECT_EQ(mnemonic.seed("\xFF\xFE").error().kind, Kind::NotUtf8);
  EXPECT_EQ(mnemonic.seed(std::string(5000, 'x')).error().kind, Kind::TooLong);
}

TEST(Mnemonic, PassphraseIsNormalised) {
  const auto mnemonic = Mnemonic::parse(kAbandon).value();
  EXPECT_EQ(hex_of(*mnemonic.seed("caf\u00E9")), hex_of(*mnemonic.seed("cafe\u0301")));
  EXPECT_NE(hex_of(*mnemonic.seed("cafe")), hex_of(*mnemonic.seed("caf\u00E9")));
}

TEST(Mnemonic, OnlyFiveLengthsExist) {
  EXPECT_EQ(Mnemonic::entropy_size(12), 16U);
  EXPECT_EQ(Mnemonic::entropy_size(15), 20U);
  EXPECT_EQ(Mnemonic::entropy_size(18), 24U);
  EXPECT_EQ(Mnemonic::entropy_size(21), 28U);
  EXPECT_EQ(Mnemonic::entropy_size(24), 32U);
  for (const std::size_t count : {0U, 3U, 9U, 11U, 13U, 25U, 27U}) EXPECT_EQ(Mnemonic::entropy_size(count), 0U);
}

RC_GTEST_PROP(Mnemonic, WordsGoBackToTheirEntropy, ()) {
  const auto words = *rc::gen::element<std::size_t>(12, 15, 18, 21, 24);
  const auto entropy =
      *rc::gen::container<util::Bytes>(Mnemonic::entropy_size(words), rc::gen::arbitrary<std::uint8_t>());
  const auto mnemonic = Mnemonic::from_entropy(entropy);
  const auto parsed = Mnemonic::parse(mnemonic.text());
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(util::Bytes(parsed->entropy().begin(), parsed->entropy().end()) == entropy);
  RC_ASSERT(static_cast<std::size_t>(std::ranges::count(mnemonic.text(), ' ')) + 1 == words);
}

std::string root_of(const Seed& seed) {
  const auto text = ExtendedPrivateKey::from_seed(seed.view())->to_text(chain::params(chain::Network::Main));
  return {text.begin(), text.end()};
}

TEST(Mnemonic, TrezorEnglishVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip39/trezor_vectors.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("english").as_array()) {
    const std::string_view words = row.at(1).as_string();
    EXPECT_EQ(Mnemonic::from_entropy(test::hex(row.at(0))).text(), words);
    const auto mnemonic = Mnemonic::parse(words);
    ASSERT_TRUE(mnemonic) << words;
    const auto seed = mnemonic->seed("TREZOR").value();
    EXPECT_EQ(hex_of(seed), std::string_view(row.at(2).as_string()));
    EXPECT_EQ(root_of(seed), std::string_view(row.at(3).as_string()));
  }
}

TEST(Mnemonic, TrezorJapaneseVectorsGiveTheirSeedAndAreNoEnglishMnemonic) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip39/trezor_vectors.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("japanese").as_array()) {
    const std::string_view words = row.at(1).as_string();
    const auto seed = seed_of_sentence(words,
                                       "\u338D\u30AC\u30D0\u30F4\u30A1\u3071\u3070\u3050\u309E\u3061\u3062"
                                       "\u5341\u4EBA\u5341\u8272");
    const auto plain = seed_of_sentence(words, "TREZOR");
    ASSERT_TRUE(seed && plain);
    const std::string_view expected = row.at(2).as_string();
    EXPECT_TRUE(hex_of(*seed) == expected || hex_of(*plain) == expected) << words;
    EXPECT_EQ(refused(words).kind, Kind::UnknownWord);
  }
}

}  // namespace
}  // namespace spv::wallet
