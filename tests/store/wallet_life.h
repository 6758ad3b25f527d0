// A wallet file's life in steps, and what it must hold after each: for tests of what kills, faults and lack of memory
// leave of it.
#pragma once

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "store/stored_balance.h"
#include "tests/store/wallet_repository_samples.h"
#include "tests/support/fault_vfs.h"

namespace spv::store {

inline const WalletInfo kInfo{
    .kind = WalletKind::Mnemonic, .created = 12, .fingerprint = {{1, 2, 3, 4}}, .encrypted = false};
inline const StoredSecret kPlain{.format = StoredSecret::Format::Plain, .data = util::SecretBytes(64, 0x5A)};
inline const StoredSecret kSealed{.format = StoredSecret::Format::Encrypted, .data = util::SecretBytes(132, 0xC3)};

inline std::string state_of(WalletRepository& file) {
  return test::describe(file.load()) + (file.secret()->format == StoredSecret::Format::Plain ? "plain" : "sealed");
}
/// A balance that is stored in a sound file is that of its transactions.
inline void expect_no_wrong_balance(const std::string& path, WalletRepository& file) {
  const auto stored = balance_of_file(path, chain::Network::Main);
  if (!stored) return;
  auto contents = file.load();
  EXPECT_EQ(stored->balance, wallet::Wallet(std::move(contents.config), std::move(contents.state)).balance());
}
/// All that a wallet file holds, as text.
inline std::string state_at(const std::string& path) {
  auto file = WalletRepository::open(path, WalletRepository::Mode::ReadWrite);
  expect_no_wrong_balance(path, file);
  return state_of(file);
}

/// Where two such texts part, short enough to be shown; empty if they are equal.
inline std::string difference(const std::string& found, const std::string& wanted) {
  if (found == wanted) return {};
  const auto at = std::ranges::mismatch(found, wanted).in1 - found.begin();
  const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - 80, 0));
  return "found ..." + found.substr(from, 160) + "... wanted ..." + wanted.substr(std::min(from, wanted.size()), 160);
}

/// A life of a wallet in steps: made, paid, scanned, an address handed out, a reorganisation, a passphrase, closed and
/// opened. Each step is one commit, or none.
class Life {
 public:
  explicit Life(std::string path) : path_(std::move(path)) {}
  /// Takes its changes from a rehearsal instead of working them out from the file: its time goes into writes alone.
  Life(std::string path, const std::vector<wallet::Changes>& rehearsed)
      : path_(std::move(path)), rehearsed_(&rehearsed) {}

  /// What each step commits; empty where it commits nothing.
  static std::vector<wallet::Changes> rehearse() {
    auto contents = test::sample_contents(1);
    wallet::Wallet wallet(std::move(contents.config), std::move(contents.state));
    std::vector<wallet::Changes> out(kSteps);
    for (std::size_t number = 0; number < kSteps; ++number) {
      if (commits(number)) out[number] = change(wallet, number);
    }
    return out;
  }

  /// The steps; each may be tried again after it threw.
  static constexpr std::size_t kSteps = 14;
  void step(std::size_t number) {
    if (number == 0) return make();
    if (number == kReopened || number == kReopenedAgain) file_.reset();
    open();
    if (number == kSealing) static_cast<void>(file_->replace_secret(kSealed));
    if (commits(number)) commit(number);
  }
  void close() { file_.reset(); }

 private:
  static constexpr std::size_t kReopened = 6;
  static constexpr std::size_t kSealing = 8;
  static constexpr std::size_t kReopenedAgain = 11;
  static bool commits(std::size_t number) {
    return number != 0 && number != kReopened && number != kSealing && number != kReopenedAgain;
  }
  void commit(std::size_t number) {
    if (rehearsed_ != nullptr) return file_->commit((*rehearsed_)[number]);
    wallet::Wallet wallet = held();
    file_->commit(change(wallet, number));
  }
  void make() {
    if (std::filesystem::exists(path_)) return open();
    file_.emplace(WalletRepository::create(path_, test::sample_contents(1), kInfo, kPlain));
  }
  void open() {
    if (!file_) file_.emplace(WalletRepository::open(path_, WalletRepository::Mode::ReadWrite));
  }
  wallet::Wallet held() {
    auto contents = file_->load();
    return {std::move(contents.config), std::move(contents.state)};
  }
  static wallet::Changes change(wallet::Wallet& wallet, std::size_t number) {
    const auto height = static_cast<chain::Height>(300 + number);
    if (number == 4) return wallet.issue_address(false, true)->changes;
    if (number == 7) return wallet.disconnect_above(test::block_at(302));
    // Large enough that a commit is more than one page.
    test::TxBuilder payment(4000 + number);
    for (std::uint32_t i = 0; i < 100; ++i) payment.pays(test::receive_script(i % 5), 1'000 + i);
    auto changes = test::confirm(wallet, payment.build(), height);
    changes.merge(wallet.set_scan(test::scanned_to(height)));
    if (number % 3 == 0) changes.balance = wallet.counted_balance();
    return changes;
  }

  std::string path_;
  std::optional<WalletRepository> file_;
  const std::vector<wallet::Changes>* rehearsed_ = nullptr;
};

/// Knows what every step of a life leaves when nothing goes wrong.
class LifeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const test::FaultVfs disk;  // for its speed alone
    const test::TempDir folder;
    const std::string path = folder.file("alice.sqlite");
    Life life(path);
    for (std::size_t step = 0; step < Life::kSteps; ++step) {
      life.step(step);
      life.close();
      states_.push_back(state_at(path));
    }
  }
  /// An image must hold what was told to be done, or that and the step under way.
  void expect_prefix(const std::string& path, std::size_t done, const std::string& where) {
    if (done == 0 && !std::filesystem::exists(path)) return;
    std::string found;
    try {
      found = state_at(path);
    } catch (const StoreError& error) {
      found = error.what();
    }
    const auto& before = states_[done == 0 ? 0 : done - 1];
    const auto& after = states_[std::min(done, states_.size() - 1)];
    EXPECT_TRUE(found == before || found == after) << where << " after step " << done << ": " << found.substr(0, 200);
  }

  std::vector<std::string> states_;
};

}  // namespace spv::store
