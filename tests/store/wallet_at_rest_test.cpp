// A wallet file that nobody writes is read without SQLite's log beside it, and never at the price of an old answer.
#include <chrono>
#include <fstream>

#include <gtest/gtest.h>

#include "store/wallet_file.h"
#include "store/wallet_repository.h"
#include "tests/store/wallet_repository_samples.h"

namespace spv::store {
namespace {

using Mode = WalletRepository::Mode;

class WalletAtRest : public ::testing::Test {
 protected:
  WalletAtRest() {
    static_cast<void>(WalletRepository::create(path_, contents_, test::kWatchOnly, std::nullopt));
    age();
  }
  /// As if nobody had written for a minute.
  void age() const {
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  }
  WalletRepository open() const { return WalletRepository::open(path_, Mode::ReadWrite); }
  bool has_log() const { return std::filesystem::exists(path_ + "-wal"); }
  void issue_elsewhere(std::uint32_t index) const {
    ASSERT_TRUE(WalletRepository::open(path_, Mode::Shared).issue(0, index));
  }

  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
  const WalletRepository::Contents contents_ = test::sample_contents();
};

TEST_F(WalletAtRest, IsOpenedAndReadWithoutALog) {
  auto repository = open();
  EXPECT_FALSE(has_log());
  EXPECT_EQ(test::describe(repository.load()), test::describe(contents_));
  EXPECT_FALSE(has_log());
  EXPECT_TRUE(repository.events(0, 10).empty());
  EXPECT_TRUE(has_log()) << "after loading it is open as usual";
}

TEST_F(WalletAtRest, WhatAnotherProcessWroteSinceIsRead) {
  auto repository = open();
  const auto next = contents_.state.key_chains[0].next_unissued;
  issue_elsewhere(next);
  EXPECT_EQ(repository.load().state.key_chains[0].next_unissued, next + 1);
}

TEST_F(WalletAtRest, WhatAnotherProcessStillHoldsInItsLogIsRead) {
  auto repository = open();
  auto other = WalletRepository::open(path_, Mode::Shared);
  const auto next = contents_.state.key_chains[0].next_unissued;
  ASSERT_TRUE(other.issue(0, next));
  ASSERT_TRUE(has_log());
  EXPECT_EQ(repository.load().state.key_chains[0].next_unissued, next + 1);
}

TEST_F(WalletAtRest, IsWrittenAsUsual) {
  auto repository = open();
  repository.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  EXPECT_EQ(WalletRepository::open(path_, Mode::ReadOnly).load().state.scan.scanned_to.height, 201);
}

TEST_F(WalletAtRest, AChangeOfAMomentAgoIsNoRest) {
  EXPECT_TRUE(FileAtRest::find(path_));
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now());
  EXPECT_FALSE(FileAtRest::find(path_));
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(FileAtRest::find(path_)) << "a clock that was set back proves nothing";
}

TEST_F(WalletAtRest, AFileWithALogOrAJournalIsNotAtRest) {
  for (const std::string suffix : {"-wal", "-journal"}) {
    const auto found = FileAtRest::find(path_);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->holds());
    std::ofstream(path_ + suffix) << "x";
    EXPECT_FALSE(found->holds()) << suffix;
    EXPECT_FALSE(FileAtRest::find(path_)) << suffix;
    std::filesystem::remove(path_ + suffix);
  }
}

TEST_F(WalletAtRest, AFileThatWasReplacedIsAnother) {
  const auto found = FileAtRest::find(path_);
  ASSERT_TRUE(found);
  const std::string copy = folder_.file("copy");
  std::filesystem::copy_file(path_, copy);
  std::filesystem::last_write_time(copy, std::filesystem::last_write_time(path_));
  std::filesystem::rename(copy, path_);
  EXPECT_FALSE(found->holds());
}

TEST_F(WalletAtRest, DamageIsReportedAsEver) {
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 4096);
  age();
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open().load()); }), StoreError::Kind::Corrupt);
}

}  // namespace
}  // namespace spv::store
