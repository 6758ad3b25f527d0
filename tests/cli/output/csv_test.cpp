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

}  // namespace
}  // namespace spv::cli
