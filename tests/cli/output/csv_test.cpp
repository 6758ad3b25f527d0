#include "cli/output/csv.h"

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

TEST(Csv, RecordsEndAsTheStandardWants) {
  EXPECT_EQ(csv_record({"date", "amount"}), "date,amount\r\n");
  EXPECT_EQ(csv_record({"", ""}), ",\r\n");
}

TEST(Csv, QuotesWhatWouldEndAField) {
  EXPECT_EQ(csv_record({"a,b", "say \"hi\"", "two\nlines", "cr\r", "plain text"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\",plain text\r\n");
}

TEST(Csv, ATextIsNoFormula) {
  for (const std::string text : {"=HYPERLINK(\"http://evil\",\"x\")", "+1", "-1", "@sum(a1)", "\t=1", "\r=1"}) {
    EXPECT_EQ(csv_text(text), "'" + text);
  }
  for (const std::string text : {"", "rent = 7", "a-b", "'quoted", " =1"}) EXPECT_EQ(csv_text(text), text);
}

}  // namespace
}  // namespace spv::cli
