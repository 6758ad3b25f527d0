// No memory for our own code (SQLite's own is in wallet_faults_test.cpp): every n-th allocation of a wallet's life
// fails. A program of its own, for it replaces operator new; and on the real disk, for FaultVfs allocates.
#include <new>

#include "tests/store/wallet_life.h"
#include "tests/support/failing_new.h"
#include "tests/support/long_tests.h"

namespace spv::store {
namespace {

class WalletMemory : public LifeTest {
 protected:
  /// Does a step under a lack of memory; whether it came. What the file then holds is that step or the one before.
  static bool fails(Life& life, std::size_t step, std::uint64_t allocation, bool lasting) {
    try {
      const test::FailingNew none(allocation, lasting);
      life.step(step);
      return test::FailingNew::has_failed();
    } catch (const std::bad_alloc&) {
      return true;
    }
  }
  [[nodiscard]] bool is_done(const std::string& path, std::size_t step) const {
    if (!std::filesystem::exists(path)) return false;
    auto reader = WalletRepository::open(path, WalletRepository::Mode::ReadOnly);
    const auto found = state_of(reader);
    EXPECT_TRUE(found == states_[step] || (step > 0 && found == states_[step - 1])) << "step " << step;
    return found == states_[step];
  }
};

TEST_F(WalletMemory, S11_AnyAllocationThatFailsIsToldAndLosesNothing) {
  const std::uint64_t stride = test::repeats(1'501, 41);
  std::uint64_t faults = 0;
  for (std::size_t step = 0; step < Life::kSteps; ++step) {
    for (std::uint64_t n = 1 + step;; n += stride) {
      const test::TempDir folder;
      const std::string path = folder.file("alice.sqlite");
      Life life(path);
      for (std::size_t before = 0; before < step; ++before) life.step(before);
      if (!fails(life, step, n, n % 3 == 0)) break;
      ++faults;
      if (n % 2 == 0) life.close();
      for (std::size_t rest = is_done(path, step) ? step + 1 : step; rest < Life::kSteps; ++rest) life.step(rest);
      life.close();
      ASSERT_EQ(difference(state_at(path), states_.back()), "")
          << "no memory at allocation " << n << " of step " << step;
    }
  }
  RecordProperty("faults", static_cast<int>(faults));
  EXPECT_GT(faults, 10U);
}

}  // namespace
}  // namespace spv::store
