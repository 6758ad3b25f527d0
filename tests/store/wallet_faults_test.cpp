// What the disk can do to a wallet file: kills, lost power, faults, no memory, damage. A few of each in every run, all
// of them with SPV_LONG_TESTS=1.
#include <algorithm>
#include <functional>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/store/wallet_life.h"
#include "tests/support/long_tests.h"

namespace spv::store {
namespace {

using Kind = StoreError::Kind;
using Mode = WalletRepository::Mode;
using test::DiskFault;
using test::FaultVfs;

class WalletFaults : public LifeTest {};

void copy_files(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    std::filesystem::copy_file(entry.path(), to / entry.path().filename());
  }
}

/// Runs a life on a watched disk and calls `look` at every `stride`-th write, with the steps done so far.
void live_watched(FaultVfs& disk, const std::string& path, std::uint64_t stride, std::uint64_t first,
                  const std::function<void(std::size_t done, std::uint64_t point)>& look) {
  std::uint64_t points = 0;
  std::size_t done = 0;
  bool looking = false;
  disk.watch([&] {
    if (looking || ++points % stride != first % stride) return;
    looking = true;  // looking at an image uses the same disk
    look(done, points);
    looking = false;
  });
  Life life(path);
  for (; done < Life::kSteps; ++done) life.step(done);
  life.close();
  disk.watch({});
}

TEST_F(WalletFaults, S1_W14_AKillAtAnyWriteLeavesWholeStepsAndAllThatWereTold) {
  FaultVfs disk;
  const test::TempDir folder;
  int images = 0;
  live_watched(disk, folder.file("alice.sqlite"), test::repeats(3, 1), 0, [&](std::size_t done, std::uint64_t point) {
    const test::TempDir copy;
    copy_files(folder.path(), copy.path());
    expect_prefix(copy.file("alice.sqlite"), done, "kill at write " + std::to_string(point));
    ++images;
  });
  RecordProperty("points", images);
  EXPECT_GT(images, 30);
}

TEST_F(WalletFaults, S2_LostPowerLosesNoStepThatWasTold) {
  FaultVfs disk;
  int images = 0;
  for (std::uint64_t round = 0; round < test::repeats(1, 40); ++round) {
    const test::TempDir folder;
    util::Rng rng(round + 1);
    const auto stride = test::repeats(3, 1);
    live_watched(disk, folder.file("alice.sqlite"), stride, round, [&](std::size_t done, std::uint64_t point) {
      // Making the file is its own test: it gets its name only when it is whole and synced.
      if (done == 0) return;
      const test::TempDir copy;
      disk.write_power_loss_image(folder.path(), copy.path(), rng.below(2) == 0 ? 512 : 4096, rng);
      expect_prefix(copy.file("alice.sqlite"), done, "no power at write " + std::to_string(point));
      ++images;
    });
  }
  RecordProperty("images", images);
  EXPECT_GT(images, 30);
}

TEST_F(WalletFaults, S2_ADraftGetsItsNameOnlyWhenItIsOnDisk) {
  FaultVfs disk;
  const test::TempDir folder;
  const std::string path = folder.file("alice.sqlite");
  static_cast<void>(WalletRepository::create(path, test::sample_contents(1), kInfo, kPlain));
  // Nothing of the draft was left unsynced when it was renamed: the worst image of it is the file.
  util::Rng rng(1);
  const test::TempDir copy;
  disk.write_power_loss_image(folder.path(), copy.path(), 512, rng);
  EXPECT_EQ(test::read_file(copy.file("alice.sqlite.new")), test::read_file(path));
}

/// Every fault at every n-th call: a clear error, then the disk heals and the same life goes on to the same end.
void survive(const std::vector<std::string>& states, DiskFault fault, bool lasting, std::uint64_t stride,
             Kind expected) {
  std::uint64_t faults = 0;
  for (std::uint64_t n = 1;; n += stride) {
    FaultVfs disk;
    const test::TempDir folder;
    const std::string path = folder.file("alice.sqlite");
    Life life(path);
    disk.fail_at(n, fault, lasting);
    for (std::size_t step = 0; step < Life::kSteps; ++step) {
      try {
        life.step(step);
      } catch (const StoreError& error) {
        ++faults;
        ASSERT_TRUE(disk.has_failed()) << error.what();
        EXPECT_TRUE(error.kind() == expected || error.kind() == Kind::Io) << error.what();
        disk.heal();
        if (n % 2 == 0) life.close();  // once with the same connection, once with a new one
        life.step(step);
      }
    }
    const bool reached = disk.has_failed();
    disk.heal();
    life.close();
    ASSERT_EQ(difference(state_at(path), states.back()), "") << "fault at call " << n;
    if (!reached) break;
  }
  ::testing::Test::RecordProperty("faults", static_cast<int>(faults));
  EXPECT_GT(faults, 2U);
}

TEST_F(WalletFaults, S3_AFullDiskAtAnyWriteIsToldAndLosesNothing) {
  survive(states_, DiskFault::Full, true, test::repeats(13, 1), Kind::Full);
}
TEST_F(WalletFaults, S3_AnErrorOfTheDiskAtAnyCallIsToldAndLosesNothing) {
  survive(states_, DiskFault::IoError, false, test::repeats(19, 1), Kind::Io);
}
TEST_F(WalletFaults, S3_ADeadDiskFromAnyCallOnIsToldAndLosesNothing) {
  survive(states_, DiskFault::IoError, true, test::repeats(19, 1), Kind::Io);
}

// --- no memory -----------------------------------------------------------------------------------------------

struct Memory {
  static inline sqlite3_mem_methods real{};
  static inline std::uint64_t calls = 0;
  static inline std::uint64_t fail_at = 0;
  static bool fails() { return fail_at != 0 && ++calls >= fail_at; }
  static void* allocate(int size) { return fails() ? nullptr : real.xMalloc(size); }
  static void* reallocate(void* block, int size) { return fails() ? nullptr : real.xRealloc(block, size); }
};

TEST_F(WalletFaults, S11_NoMemoryAtAnyAllocationIsToldAndLosesNothing) {
  sqlite3_shutdown();
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &Memory::real), SQLITE_OK);
  sqlite3_mem_methods failing = Memory::real;
  failing.xMalloc = Memory::allocate;
  failing.xRealloc = Memory::reallocate;
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK);
  std::uint64_t faults = 0;
  std::optional<FaultVfs> disk(std::in_place);  // for its speed alone
  const std::uint64_t stride = test::repeats(499, 7);
  for (std::uint64_t n = 1;; n += stride) {
    const test::TempDir folder;
    const std::string path = folder.file("alice.sqlite");
    Memory::calls = 0;
    bool failed = false;
    {
      Life life(path);
      for (std::size_t step = 0; step < Life::kSteps; ++step) {
        if (!failed) Memory::fail_at = n;
        try {
          life.step(step);
        } catch (const StoreError& error) {
          EXPECT_EQ(error.kind(), Kind::Io) << error.what();
          Memory::fail_at = 0;
          failed = true;
          ++faults;
          if (n % 2 == 0) life.close();
          life.step(step);
        }
      }
      Memory::fail_at = 0;
    }
    ASSERT_EQ(difference(state_at(path), states_.back()), "") << "no memory at allocation " << n;
    if (!failed) break;
  }
  disk.reset();
  sqlite3_shutdown();
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &Memory::real), SQLITE_OK);
  RecordProperty("faults", static_cast<int>(faults));
  EXPECT_GT(faults, 3U);
}

// --- damage --------------------------------------------------------------------------------------------------

util::Bytes mutated(const util::Bytes& original, util::Rng& rng) {
  util::Bytes bytes = original;
  const auto position = [&] { return rng.below(bytes.size()); };
  switch (rng.below(6)) {
    case 0:  // one bit
      bytes[position()] ^= static_cast<std::uint8_t>(1U << rng.below(8));
      break;
    case 1:  // some bytes
      for (auto n = 1 + rng.below(16); n > 0; --n) bytes[position()] = static_cast<std::uint8_t>(rng.next());
      break;
    case 2: {  // a run, of zeros or noise
      const auto first = position();
      const auto size = std::min<std::uint64_t>(1 + rng.below(600), bytes.size() - first);
      const bool zero = rng.below(2) == 0;
      for (std::uint64_t i = 0; i < size; ++i) bytes[first + i] = zero ? 0 : static_cast<std::uint8_t>(rng.next());
      break;
    }
    case 3: {  // a page in the place of another
      const auto pages = bytes.size() / 4096;
      const auto from = static_cast<std::ptrdiff_t>(rng.below(pages) * 4096);
      std::copy_n(original.begin() + from, 4096, bytes.begin() + static_cast<std::ptrdiff_t>(rng.below(pages) * 4096));
      break;
    }
    case 4:  // cut short
      bytes.resize(position());
      break;
    default:  // the head, where everything hangs
      for (auto n = 1 + rng.below(3); n > 0; --n) bytes[rng.below(200)] = static_cast<std::uint8_t>(rng.next());
  }
  return bytes;
}

// A damaged file is refused, or all of it is as it was: the damage hit nothing that is read.
TEST_F(WalletFaults, S6_MutatedFilesAreRefusedOrAsTheyWere) {
  const test::TempDir folder;
  const std::string path = folder.file("alice.sqlite");
  Life life(path);
  for (std::size_t step = 0; step < Life::kSteps; ++step) life.step(step);
  life.close();
  const auto original = test::read_file(path);
  util::Rng rng(66);
  std::uint64_t refused = 0;
  const auto files = test::repeats(500, 10'000);
  for (std::uint64_t n = 0; n < files; ++n) {
    test::write_file(path, mutated(original, rng));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix);
    try {
      auto file = WalletRepository::open(path, n % 2 == 0 ? Mode::ReadOnly : Mode::ReadWrite);
      ASSERT_EQ(difference(state_of(file), states_.back()), "") << "file " << n;
      expect_no_wrong_balance(path, file);
    } catch (const StoreError& error) {
      ++refused;
      EXPECT_TRUE(error.kind() == Kind::Corrupt || error.kind() == Kind::NotAWallet ||
                  error.kind() == Kind::NewerSchema || error.kind() == Kind::Io)
          << error.what();
    }
  }
  RecordProperty("files", static_cast<int>(files));
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_GT(refused, files / 2);
}

// --- backups, logs left behind --------------------------------------------------------------------------------

// A copy that was made while a step was under way, file by file, as cp does it: the log last.
TEST_F(WalletFaults, S9_ACopyOfARunningWalletIsWhole) {
  FaultVfs disk;
  const test::TempDir folder;
  int copies = 0;
  for (std::uint64_t round = 0; round < test::repeats(1, 10); ++round) {
    const test::TempDir live;
    live_watched(disk, live.file("alice.sqlite"), test::repeats(5, 1), round,
                 [&](std::size_t done, std::uint64_t point) {
                   if (done == 0) return;
                   const test::TempDir copy;
                   for (const char* suffix : {"", "-wal"}) {
                     const std::string name = std::string("alice.sqlite") + suffix;
                     if (std::filesystem::exists(live.file(name)))
                       std::filesystem::copy_file(live.file(name), copy.file(name));
                   }
                   expect_prefix(copy.file("alice.sqlite"), done, "copy at write " + std::to_string(point));
                   ++copies;
                 });
  }
  RecordProperty("copies", copies);
  EXPECT_GT(copies, 15);
}

TEST_F(WalletFaults, S9_AnOldBackupGoesOnFromWhereItWas) {
  const test::TempDir folder;
  const std::string path = folder.file("alice.sqlite");
  Life life(path);
  for (std::size_t step = 0; step < 4; ++step) life.step(step);
  life.close();
  std::filesystem::copy_file(path, folder.file("backup"));
  for (std::size_t step = 4; step < Life::kSteps; ++step) life.step(step);
  life.close();
  std::filesystem::remove(path);
  std::filesystem::rename(folder.file("backup"), path);
  EXPECT_EQ(state_at(path), states_[3]) << "its own scan height with its own transactions, so a sync finds the rest";
}

TEST_F(WalletFaults, S10_ALogLeftBehindIsTakenUpAndAnotherFilesLogIsNot) {
  const test::TempDir folder;
  const std::string path = folder.file("alice.sqlite");
  const test::TempDir copy;
  {
    Life life(path);
    for (std::size_t step = 0; step < 4; ++step) life.step(step);
    copy_files(folder.path(), copy.path());
  }
  ASSERT_GT(std::filesystem::file_size(copy.file("alice.sqlite-wal")), 0U);
  std::filesystem::remove(copy.file("alice.sqlite-shm"));
  EXPECT_EQ(state_at(copy.file("alice.sqlite")), states_[3]);
}

TEST_F(WalletFaults, S10_AMovedWalletIsFoundWhole) {
  const test::TempDir folder;
  const std::string path = folder.file("alice.sqlite");
  Life life(path);
  for (std::size_t step = 0; step < Life::kSteps; ++step) life.step(step);
  life.close();
  std::filesystem::create_directory(folder.file("elsewhere"));
  std::filesystem::rename(path, folder.file("elsewhere/bob.sqlite"));
  EXPECT_EQ(state_at(folder.file("elsewhere/bob.sqlite")), states_.back());
}

}  // namespace
}  // namespace spv::store
