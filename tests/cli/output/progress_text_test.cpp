#include "cli/output/progress_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spv::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgressFacts scanning() {
  ProgressFacts facts;
  facts.progress = {.header_height = 4'212'000,
                    .headers_done = true,
                    .scanned = 4'206'999,
                    .ready_peers = 2,
                    .announced_height = 4'212'000,
                    .transports = "v2",
                    .counts = {.transactions = 100'000, .false_positives = 12},
                    .bytes = {.in = 1'234'567, .out = 0}};
  facts.scan_start = 4'202'001;
  facts.rate = 1204.7;
  facts.left = 4.2;
  return facts;
}

TEST(ProgressText, SaysEverythingWhereThereIsRoom) {
  EXPECT_EQ(progress_text(scanning(), 199),
            "[###########.............]  49%  blocks 4,999/10,000  1,204/s  0:05 left  2 peers (v2)  "
            "false positives 0.00012  1.2 MB");
}

TEST(ProgressText, LeavesOutWhatMattersLeastWhereThereIsNotAndTheBarStays) {
  EXPECT_EQ(progress_text(scanning(), 79), "[###########.............]  49%  blocks 4,999/10,000  1,204/s  0:05 left");
  EXPECT_EQ(progress_text(scanning(), 59), "[###########.............]  49%  blocks 4,999/10,000");
  EXPECT_EQ(progress_text(scanning(), 25), "49%  blocks 4,999/10,000");
  EXPECT_EQ(progress_text(scanning(), 8), "blocks 4");
}

TEST(ProgressText, TheBarStaysInEightyColumnsHoweverLongTheChain) {
  auto facts = scanning();
  facts.scan_start = 0;
  facts.left = 359'999;
  EXPECT_THAT(progress_text(facts, 79), HasSubstr("[#"));
  EXPECT_LE(progress_text(facts, 79).size(), 79U);
}

TEST(ProgressText, NeverExceedsTheWidth) {
  for (std::size_t width = 0; width < 210; ++width) EXPECT_LE(progress_text(scanning(), width).size(), width);
}

TEST(ProgressText, HeadersAndBlocksAreOneMeasureThatOnlyGrows) {
  client::SyncProgress progress;
  progress.ready_peers = 1;
  progress.announced_height = 100'000;
  double last = -1;
  const auto grows_to = [&] {
    const double share = work_of(progress, 90'000).share();
    EXPECT_GE(share, last) << progress.header_height << " headers, " << progress.scanned << " blocks";
    EXPECT_LT(share - last, 0.05) << "a jump at " << progress.header_height << " headers, " << progress.scanned;
    last = share;
  };
  last = 0;
  for (chain::Height height = 0; height < 100'000; height += 2'000) {
    progress.header_height = height;
    progress.headers_added = static_cast<std::uint64_t>(height);
    grows_to();
  }
  progress.header_height = 100'000;
  progress.headers_added = 100'000;
  progress.headers_done = true;
  for (progress.scanned = 89'999; progress.scanned < 100'000; progress.scanned += 250) grows_to();
  progress.scanned = 100'000;
  grows_to();
  EXPECT_EQ(last, 1);
}

TEST(ProgressText, ABarThatWasShownIsNotTakenBack) {
  auto facts = scanning();
  facts.least_share = 0.75;
  EXPECT_THAT(progress_text(facts, 79), HasSubstr(" 75% "));
}

TEST(ProgressText, CountsHeadersAgainstWhatThePeersClaim) {
  auto facts = scanning();
  facts.progress.headers_done = false;
  facts.progress.header_height = 100'000;
  facts.progress.announced_height = 400'000;
  facts.rate = 10'000;
  EXPECT_THAT(progress_text(facts, 199), HasSubstr("headers 100,000/400,000  10,000/s"));
}

TEST(ProgressText, SaysWhatIsWaitedFor) {
  auto facts = scanning();
  facts.progress.scanned = facts.progress.header_height;
  EXPECT_THAT(progress_text(facts, 199), Not(HasSubstr("waiting")));
  facts.wait_left = 27.2;
  EXPECT_THAT(progress_text(facts, 199),
              HasSubstr("at block 4,212,000  waiting up to 28 s for unconfirmed transactions  (Ctrl-C to stop)"));
  facts.waits_for = "2 confirmations (1 so far)";
  EXPECT_THAT(progress_text(facts, 79), HasSubstr("at block 4,212,000  waiting for 2 confirmations (1 so far)"));
  facts.progress.ready_peers = 0;
  EXPECT_THAT(progress_text(facts, 199), HasSubstr("looking for peers"));
}

TEST(ProgressText, FormatsNumbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(bytes_text(27'600), "27.6 kB");
  EXPECT_EQ(bytes_text(640'000'000), "640.0 MB");
  EXPECT_EQ(bytes_text(2'500'000'000), "2.5 GB");
  EXPECT_EQ(duration_text(6.2), "0:07");
  EXPECT_EQ(duration_text(725), "12:05");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(duration_text(1e12), "99:59:59");
}

TEST(Rate, IsThatOfTheLastSeconds) {
  const auto at = [](double seconds) {
    return util::TimePoint(std::chrono::duration_cast<util::Duration>(std::chrono::duration<double>(seconds)));
  };
  Rate rate;
  EXPECT_FALSE(rate.per_second());
  rate.note(0, at(0));
  EXPECT_FALSE(rate.per_second());
  for (int second = 1; second <= 20; ++second) rate.note(10 * second, at(second));
  EXPECT_DOUBLE_EQ(*rate.per_second(), 10);
  for (int second = 21; second <= 40; ++second) rate.note(200 + 100 * (second - 20), at(second));
  EXPECT_DOUBLE_EQ(*rate.per_second(), 100) << "the slow start is forgotten";
  rate.note(5, at(41));
  EXPECT_FALSE(rate.per_second()) << "a count that steps back is another one";
}

}  // namespace
}  // namespace spv::cli
