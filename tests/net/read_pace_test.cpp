#include "net/read_pace.h"

#include <gtest/gtest.h>

namespace spv::net {
namespace {

using std::chrono::milliseconds;

class ReadPaceTest : public testing::Test {
 protected:
  void reads(int count, std::size_t bytes, util::Duration each) {
    for (int i = 0; i < count; ++i) {
      now_ += each;
      pace_.on_read(bytes, now_);
    }
  }
  util::TimePoint now_{std::chrono::seconds(100)};
  ReadPace pace_;
};

TEST_F(ReadPaceTest, ManySmallReadsInARowAreWorthWaitingFor) {
  reads(8, 300, milliseconds(2));
  EXPECT_FALSE(pace_.gathers(now_)) << "the first came after a pause";
  reads(1, 300, milliseconds(2));
  EXPECT_TRUE(pace_.gathers(now_));
}

TEST_F(ReadPaceTest, ALargeReadIsNot) {
  reads(20, 300, milliseconds(2));
  reads(1, 65'536, milliseconds(2));
  EXPECT_FALSE(pace_.gathers(now_));
}

TEST_F(ReadPaceTest, AnswersOneByOneAreNot) {
  reads(20, 300, milliseconds(20));
  EXPECT_FALSE(pace_.gathers(now_));
}

TEST_F(ReadPaceTest, NothingIsWaitedForAfterTheLast) {
  reads(20, 300, milliseconds(2));
  EXPECT_FALSE(pace_.gathers(now_ + milliseconds(20)));
}

}  // namespace
}  // namespace spv::net
