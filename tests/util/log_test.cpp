#include "util/log.h"

#include <gtest/gtest.h>

namespace spv::util {
namespace {

TEST(LogLevel, HasTheNamesThatTheCommandLineTakes) {
  EXPECT_EQ(to_string(LogLevel::Trace), "trace");
  EXPECT_EQ(to_string(LogLevel::Debug), "debug");
  EXPECT_EQ(to_string(LogLevel::Info), "info");
  EXPECT_EQ(to_string(LogLevel::Warn), "warn");
  EXPECT_EQ(to_string(LogLevel::Error), "error");
}

}  // namespace
}  // namespace spv::util
