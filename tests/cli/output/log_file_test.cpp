#include "cli/output/log_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "cli/options/options.h"
#include "tests/support/temp_dir.h"

namespace spv::cli {
namespace {

namespace fs = std::filesystem;

class LogFile : public testing::Test {
 protected:
  LogFile() {
    common_.log_file = folder_.file("spv.log");
    common_.log_level = util::LogLevel::Debug;
  }
  std::uintmax_t bytes() const {
    std::uintmax_t total = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) total += entry.file_size();
    return total;
  }

  test::TempDir folder_;
  CommonOptions common_;
};

TEST_F(LogFile, R13_ThreeFilesOfTenMegabytesAreKept) {
  const std::string line(99'000, 'x');
  for (int run = 0; run < 2; ++run) {
    const auto log = open_log(common_);
    for (int i = 0; i < 400; ++i) log(util::LogLevel::Warn, line);
  }
  EXPECT_LE(bytes(), 30'000'000U);
  EXPECT_GT(bytes(), 25'000'000U);
  const auto files = std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{});
  EXPECT_EQ(files, 3);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_LE(entry.file_size(), 10'000'000U);
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

TEST_F(LogFile, R13_AFloodOfLinesIsCountedNotWritten) {
  const auto log = open_log(common_);
  for (int i = 0; i < 1'000'000; ++i) log(util::LogLevel::Warn, "a hostile peer says the same again and again");
  EXPECT_LT(bytes(), 3'000'000U);
}

TEST_F(LogFile, LinesBelowTheLevelAreNotWritten) {
  const auto log = open_log(common_);
  log(util::LogLevel::Trace, "nobody wants this");
  EXPECT_EQ(bytes(), 0U);
  log(util::LogLevel::Debug, "this");
  EXPECT_EQ(bytes(), std::string("2026-11-18T03:33:16.123Z debug: this\n").size());
}

TEST_F(LogFile, R13_ADeviceIsNeverMovedAside) {
  common_.log_file = "/dev/null";
  const auto log = open_log(common_);
  for (int i = 0; i < 300; ++i) log(util::LogLevel::Warn, std::string(99'000, 'x'));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(fs::exists("/dev/null.1"));
}

}  // namespace
}  // namespace spv::cli
