#include "cli/output/sync_report.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace spv::cli {
namespace {

using Lines = std::vector<std::string>;
using wallet::News;

TEST(SyncReport, SaysWhatHappenedEachWithItsSum) {
  const News news{.fresh = {2, 150'000'000},
                  .confirmed = {1, 50'000'000},
                  .unconfirmed_again = {1'234, 7},
                  .conflicted = {1, -200'000'000}};
  EXPECT_EQ(news_lines(news, AmountUnit::Btc),
            (Lines{"2 new transactions, +1.50000000 BTC", "1 confirmed, +0.50000000 BTC",
                   "1,234 unconfirmed again, +0.00000007 BTC", "1 conflicted, -2.00000000 BTC"}));
  EXPECT_EQ(boost::json::serialize(report::news_json(news)),
            R"({"new":{"count":2,"net_sat":150000000},"confirmed":{"count":1,"net_sat":50000000},)"
            R"("unconfirmed_again":{"count":1234,"net_sat":7},"conflicted":{"count":1,"net_sat":-200000000}})");
}

TEST(SyncReport, LeavesOutWhatDidNotHappen) {
  const News news{.fresh = {1, -5}, .confirmed = {}, .unconfirmed_again = {}, .conflicted = {}};
  EXPECT_EQ(news_lines(news, AmountUnit::Sat), (Lines{"1 new transaction, -5 sat"}));
  EXPECT_EQ(news_lines(News{}, AmountUnit::Btc), (Lines{"nothing new since the last sync"}));
  EXPECT_EQ(news_lines(News{}, AmountUnit::Btc, true), (Lines{"no transactions found"})) << "there was none before";
}

}  // namespace
}  // namespace spv::cli
