#include "cli/output/table.h"

#include <gtest/gtest.h>

#include "cli/output/text.h"

namespace spv::cli {
namespace {

using Lines = std::vector<std::string>;

const std::string kHash(64, 'a');

Table coins() {
  Table table({{"BTC", true}, {"outpoint", false, Narrow::Shorten}, {"address", false, Narrow::Drop}});
  table.add({"1.5", kHash + ":0", "bcrt1qsomewhere"});
  table.add({"10.25", kHash + ":12", "-"});
  return table;
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({{"", false}, {"BTC", true}});
  table.add({"confirmed", "1.50000000"});
  table.add({"total", "12.50000000"});
  EXPECT_EQ(table.lines(std::nullopt),
            (Lines{"                   BTC", "confirmed   1.50000000", "total      12.50000000"}));
  EXPECT_EQ(Table({{"time", false}, {"txid", false}}).lines(std::nullopt), (Lines{"time  txid"}));
}

TEST(Table, WithoutAWindowNothingIsLeftOut) {
  const Lines whole{"  BTC  outpoint" + std::string(61, ' ') + "address", "  1.5  " + kHash + ":0   bcrt1qsomewhere",
                    "10.25  " + kHash + ":12  -"};
  EXPECT_EQ(coins().lines(std::nullopt), whole);
  EXPECT_EQ(coins().lines(91), whole) << "it just fits";
}

TEST(Table, AHashLosesItsLastDigitsAndKeepsWhatFollows) {
  EXPECT_EQ(coins().lines(40)[1], "  1.5  " + std::string(13, 'a') + "…:0  bcrt1qsomewhere");
  EXPECT_EQ(coins().lines(40)[2], "10.25  " + std::string(12, 'a') + "…:12  -");
}

TEST(Table, ATextWithAColonIsCutAtItsEnd) {
  Table table({{"BTC", true}, {"label", false, Narrow::Shorten}});
  table.add({"1.5", "Rent: for March, April and what was left of May"});
  EXPECT_EQ(table.lines(20), (Lines{"BTC  label", "1.5  Rent: for Marc…"}));
}

TEST(Table, AColumnGoesWhereEightDigitsAreTooMany) {
  EXPECT_EQ(coins().lines(36)[2], "10.25  " + std::string(8, 'a') + "…:12  -");
  EXPECT_EQ(coins().lines(35), (Lines{"  BTC  outpoint", "  1.5  " + std::string(25, 'a') + "…:0",
                                      "10.25  " + std::string(24, 'a') + "…:12"}));
}

TEST(Table, NoWindowIsTooNarrow) {
  for (const std::size_t width : {0U, 1U, 5U}) {
    EXPECT_EQ(coins().lines(width)[2], "10.25  " + std::string(8, 'a') + "…:12") << width;
  }
}

TEST(Table, NoLineIsWiderThanAWindowThatHasRoom) {
  for (std::size_t width = 19; width <= 200; ++width) {
    for (const auto& line : coins().lines(width)) EXPECT_LE(columns_of(line), width) << line;
  }
}

TEST(Table, CountsColumnsNotBytes) {
  Table table({{"label", false}, {"BTC", true}});
  table.add({"Miete März", "1"});
  table.add({"家賃", "2"});
  EXPECT_EQ(table.lines(std::nullopt), (Lines{"label       BTC", "Miete März    1", "家賃          2"}));
}

TEST(Table, AWrappedColumnGoesOnBelowItself) {
  Table table({{"", false}, {"", false, Narrow::Wrap}});
  table.add({"tip", kHash});
  table.add({"state", "incomplete: 3,210 of 4,108 blocks scanned"});
  EXPECT_EQ(table.lines(35), (Lines{"tip    " + std::string(27, 'a') + "…", "state  incomplete: 3,210 of 4,108",
                                    "       blocks scanned"}));
  EXPECT_EQ(table.lines(71).size(), 2U) << "it just fits";
  EXPECT_EQ(table.lines(71)[0], "tip    " + kHash);
}

TEST(Table, ALongLabelIsCutBeforeAnyOutpoint) {
  const auto labelled = coins().with({"label", false, Narrow::ShortenFirst}, {std::string(300, 'x'), "rent"});
  const auto wide = labelled.lines(200);
  EXPECT_NE(wide[1].find(kHash + ":0"), std::string::npos) << wide[1];
  EXPECT_EQ(columns_of(wide[1]), 200U);
  const auto narrow = labelled.lines(80);
  EXPECT_NE(narrow[1].find("  " + std::string(19, 'x') + "…"), std::string::npos) << "enough to read: " << narrow[1];
  for (std::size_t width = 40; width <= 200; ++width) {
    for (const auto& line : labelled.lines(width)) EXPECT_LE(columns_of(line), width) << line;
  }
}

TEST(Table, AFoldedColumnLosesNothing) {
  Table table({{"", false}, {"", false, Narrow::Fold}});
  table.add({"txid", kHash});
  table.add({"block", "103 " + kHash + " end"});
  const std::string part(30, 'a');
  EXPECT_EQ(table.lines(37), (Lines{"txid   " + part, "       " + part, "       aaaa", "block  103", "       " + part,
                                    "       " + part, "       aaaa end"}));
  EXPECT_EQ(table.lines(std::nullopt)[1], "block  103 " + kHash + " end");
}

TEST(Table, AColumnKeepsTheLeastThatItNeeds) {
  Table table(
      {{"address", false, Narrow::Shorten, 22}, {"last good", false, Narrow::Drop}, {"why", false, Narrow::Wrap}});
  table.add({"255.255.255.255:18444", "2026-11-18 03:33", "claims block 130, but serves headers only up to block 119"});
  EXPECT_EQ(table.lines(60)[1].substr(0, 35), "255.255.255.255:18444  claims block");
}

}  // namespace
}  // namespace spv::cli
