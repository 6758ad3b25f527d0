#include "wallet/word_suggestion.h"

#include <gtest/gtest.h>

#include "wallet/mnemonic.h"
#include "wallet/mnemonic_words.h"

namespace spv::wallet {
namespace {

using Words = std::vector<std::string_view>;

TEST(WordSuggestion, NamesTheWordsThatDifferLeast) {
  EXPECT_EQ(suggestions("wepon", kMnemonicWords), Words{"weapon"});
  EXPECT_EQ(suggestions("WEAPNO", kMnemonicWords), Words{"weapon"});
  EXPECT_EQ(suggestions("abandonn", kMnemonicWords), Words{"abandon"});
  EXPECT_EQ(suggestions("recieve", kMnemonicWords), Words{"receive"});
  EXPECT_EQ(suggestions("xyzzyxyzzy", kMnemonicWords), Words{});
  EXPECT_EQ(suggestions("", kMnemonicWords), Words{});
  EXPECT_EQ(suggestions(std::string(5'000, 'a'), kMnemonicWords), Words{});
  EXPECT_LE(suggestions("cat", kMnemonicWords).size(), 3U);
}

TEST(WordSuggestion, StandsInTheErrorOfAMnemonic) {
  const auto message = [](const std::string& word) {
    return Mnemonic::parse("legal winner thank year wave sausage worth useful legal winner thank " + word)
        .error()
        .message;
  };
  EXPECT_NE(message("wepon").find("did you mean \"weapon\"?"), std::string::npos) << message("wepon");
  EXPECT_NE(message("yellowish").find("did you mean \"yellow\"?"), std::string::npos) << message("yellowish");
  EXPECT_EQ(message("qqqqqqqq").find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace spv::wallet
