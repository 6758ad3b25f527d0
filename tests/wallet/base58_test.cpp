#include "wallet/base58.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"

namespace spv::wallet {
namespace {

using util::Bytes;

util::Bytes hex(std::string_view text) { return test::hex(text); }

std::optional<Bytes> decoded(std::string_view text, std::size_t max = 1000) {
  const auto bytes = base58_decode(text, max);
  if (!bytes) return std::nullopt;
  return Bytes(bytes->begin(), bytes->end());
}

TEST(Base58, KnownTexts) {
  EXPECT_EQ(base58_encode({}), "");
  EXPECT_EQ(base58_encode(hex("61")), "2g");
  EXPECT_EQ(base58_encode(hex("516b6fcd0f")), "ABnLTmg");
  EXPECT_EQ(base58_encode(hex("00000000000000000000")), "1111111111");
  EXPECT_EQ(decoded("ABnLTmg"), hex("516b6fcd0f"));
  EXPECT_EQ(decoded("1111111111"), Bytes(10, 0));
}

TEST(Base58, RefusesCharactersOutsideTheAlphabet) {
  for (const char* text : {"0", "O", "I", "l", "a b", " 2g", "2g\n", "2é"}) EXPECT_FALSE(decoded(text)) << text;
  EXPECT_EQ(bad_base58_character("abc0l"), '0');
  EXPECT_EQ(bad_base58_character("abc"), std::nullopt);
}

TEST(Base58, RefusesMoreBytesThanAsked) {
  EXPECT_EQ(decoded("2g", 1), hex("61"));
  EXPECT_FALSE(decoded("2g", 0));
  EXPECT_FALSE(decoded(std::string(1'000'000, 'z'), 100));
}

TEST(Base58, ChecksumFindsEveryChangedCharacter) {
  const std::string text = base58check_encode(hex("00d986ed01b7a22225a70edbf2ba7cfb63a15cb3aa"));
  EXPECT_EQ(text, "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'z' ? 'y' : 'z';
    EXPECT_FALSE(base58check_decode(changed, 30)) << changed;
  }
}

TEST(Base58, SaysWhyATextIsRefused) {
  const auto reason = [](std::string_view text) { return base58check_decode(text, 21).error(); };
  EXPECT_EQ(reason(""), Base58Error::TooShort);
  EXPECT_EQ(reason("2g"), Base58Error::TooShort);
  EXPECT_EQ(reason("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeab0"), Base58Error::BadCharacter);
  EXPECT_EQ(reason("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabB"), Base58Error::BadChecksum);
  EXPECT_EQ(reason(std::string(200, '2')), Base58Error::TooLong);
}

RC_GTEST_PROP(Base58, DecodesWhatItEncodes, (const Bytes& bytes)) {
  RC_ASSERT(decoded(base58_encode(bytes), bytes.size()) == bytes);
  const auto payload = base58check_decode(base58check_encode(bytes), bytes.size());
  RC_ASSERT(payload.has_value() && Bytes(payload->begin(), payload->end()) == bytes);
}

TEST(Base58, CoreVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/base58_encode_decode.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto& pair = row.as_array();
    if (pair.size() < 2) continue;  // a comment
    const Bytes bytes = test::hex(pair[0]);
    const std::string_view text = pair[1].as_string();
    EXPECT_EQ(base58_encode(bytes), text);
    EXPECT_EQ(decoded(text, bytes.size()), bytes);
  }
}

}  // namespace
}  // namespace spv::wallet
