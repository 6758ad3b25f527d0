#include "serve/electrum/line_reader.h"

#include <gtest/gtest.h>

namespace spv::serve::electrum {
namespace {

TEST(ElectrumLines, AreTheSameHoweverTheyArrive) {
  const std::string text = "one\n\ntwo\r\nthree and more\nrest";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    LineReader reader(100);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += step) {
      ASSERT_TRUE(reader.add(text.substr(at, step)));
      while (const auto line = reader.next()) lines.emplace_back(*line);
      EXPECT_FALSE(reader.has_line());
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "two", "three and more"})) << step;
    EXPECT_EQ(reader.size(), 4U);
  }
}

TEST(ElectrumLines, L2_ALineThatIsTooLongIsNotTaken) {
  LineReader fits(10);
  EXPECT_TRUE(fits.add("0123456789"));
  EXPECT_TRUE(fits.add("\n"));
  EXPECT_EQ(fits.next(), "0123456789");
  LineReader bursts(10);
  EXPECT_TRUE(bursts.add("0123456789"));
  EXPECT_FALSE(bursts.add("0"));
  LineReader at_once(10);
  EXPECT_FALSE(at_once.add("01234567890\n"));
}

}  // namespace
}  // namespace spv::serve::electrum
