#include "util/base64.h"

#include <string>

#include <gtest/gtest.h>

namespace spv::util {
namespace {

TEST(Base64, KnowsTheVectorsOfTheRfc) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, text] : cases) {
    EXPECT_EQ(to_base64(as_bytes(plain)), text);
    EXPECT_EQ(from_base64(text), to_bytes(as_bytes(plain))) << text;
  }
}

TEST(Base64, TakesEveryByte) {
  Bytes bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i));
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesAllButTheCanonicalForm) {
  for (const char* text : {"Zg", "Zg=", "Zh==", "Zm9=", "Zg==\n", " Zg==", "Z g=", "Zm9v=", "Z===", "====", "Zm-v",
                           "Zg==Zg==", "Zm9vYg=a"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace spv::util
