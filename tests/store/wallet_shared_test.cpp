// Short commands beside the process that follows a wallet: addresses handed out, labels, and files that move.
#include <csignal>
#include <functional>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "store/wallet_moves.h"
#include "store/wallet_repository.h"
#include "tests/store/wallet_repository_samples.h"

namespace spv::store {
namespace {

using Kind = StoreError::Kind;
using Mode = WalletRepository::Mode;
using wallet::LabelKind;

wallet::LabelChange label(LabelKind kind, const std::string& ref, const std::string& text) {
  return {.kind = kind, .ref = ref, .text = text};
}

class SharedWallet : public ::testing::Test {
 protected:
  SharedWallet() { static_cast<void>(WalletRepository::create(path_, contents_, test::kWatchOnly, std::nullopt)); }
  WalletRepository open(Mode mode) { return WalletRepository::open(path_, mode); }
  std::uint32_t issued() { return open(Mode::ReadOnly).issued()[0]; }
  std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
  const WalletRepository::Contents contents_ = test::sample_contents();
};

TEST_F(SharedWallet, AnAddressIsHandedOutBesideTheFollowerWhichKeepsIt) {
  auto follower = open(Mode::ReadWrite);
  auto loaded = follower.load();
  const auto before = loaded.state.key_chains[0].next_unissued;
  EXPECT_TRUE(open(Mode::Shared).issue(0, before));
  EXPECT_EQ(issued(), before + 1);
  // The follower has found something of the same chain, and knows nothing of the address.
  auto state = loaded.state.key_chains[0];
  state.last_used = 2;
  follower.commit({.transactions = {}, .key_chains = {{0, state}}, .scan = test::scanned_to(201), .widened = false});
  const auto after = open(Mode::ReadOnly).load();
  EXPECT_EQ(after.state.key_chains[0].next_unissued, before + 1);
  EXPECT_EQ(after.state.key_chains[0].last_used, 2U);
  EXPECT_EQ(after.state.scan.scanned_to.height, 201);
  EXPECT_EQ(follower.issued()[0], before + 1) << "who has it open learns of it";
}

TEST_F(SharedWallet, AnAddressThatIsHandedOutOrUsedByNowIsRefused) {
  auto shared = open(Mode::Shared);
  const auto next = shared.load().state.key_chains[0].next_unissued;
  EXPECT_TRUE(shared.issue(0, next));
  EXPECT_FALSE(shared.issue(0, next)) << "by oneself";
  EXPECT_FALSE(open(Mode::Shared).issue(0, next)) << "by another";
  auto follower = open(Mode::ReadWrite);
  auto state = follower.load().state.key_chains[0];
  state.last_used = next + 1;
  follower.commit({.transactions = {}, .key_chains = {{0, state}}, .scan = {}, .widened = false});
  EXPECT_FALSE(shared.issue(0, next + 1)) << "paid meanwhile";
}

TEST_F(SharedWallet, OfManyWhoTakeAddressesAtOnceNoTwoGetTheSame) {
  auto follower = open(Mode::ReadWrite);
  constexpr std::uint32_t kProcesses = 4;
  constexpr std::uint32_t kEach = 3;
  const auto first = follower.load().state.key_chains[0].next_unissued;
  int taken[2];
  ASSERT_EQ(::pipe(taken), 0);
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    if (::fork() != 0) continue;
    for (std::uint32_t done = 0; done < kEach;) {
      auto shared = open(Mode::Shared);
      const std::uint32_t index = shared.load().state.key_chains[0].next_unissued;
      if (!shared.issue(0, index)) continue;
      if (::write(taken[1], &index, sizeof index) != sizeof index) ::_exit(1);
      ++done;
    }
    ::_exit(0);
  }
  for (chain::Height height = 201; height < 221; ++height) {  // and the follower commits all the while
    follower.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(height), .widened = false});
  }
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  ::close(taken[1]);
  std::set<std::uint32_t> indexes;
  for (std::uint32_t index = 0; ::read(taken[0], &index, sizeof index) == sizeof index;) indexes.insert(index);
  ::close(taken[0]);
  EXPECT_EQ(indexes.size(), kProcesses * kEach);
  EXPECT_EQ(issued(), first + kProcesses * kEach);
  EXPECT_EQ(open(Mode::ReadOnly).load().state.scan.scanned_to.height, 220);
}

TEST_F(SharedWallet, LabelsAreKeptBesideTheFollowerAndRemovedByAnEmptyOne) {
  auto follower = open(Mode::ReadWrite);
  auto shared = open(Mode::Shared);
  shared.change_labels({label(LabelKind::Tx, "aa", "rent"), label(LabelKind::Address, "aa", "landlord")});
  shared.change_labels({{.kind = LabelKind::Output, .ref = "aa:0", .spendable = false}});
  follower.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  shared.change_labels({{.kind = LabelKind::Output, .ref = "aa:0", .text = "mine"}});
  const std::vector<wallet::Label> expected{
      {.kind = LabelKind::Address, .ref = "aa", .text = "landlord", .origin = {}},
      {.kind = LabelKind::Output, .ref = "aa:0", .text = "mine", .origin = {}, .spendable = false},
      {.kind = LabelKind::Tx, .ref = "aa", .text = "rent", .origin = {}}};
  EXPECT_EQ(open(Mode::ReadOnly).labels(), expected);
  shared.change_labels({label(LabelKind::Tx, "aa", ""), label(LabelKind::Address, "aa", ""),
                        label(LabelKind::Output, "aa:0", ""), label(LabelKind::Tx, "bb", "")});
  ASSERT_EQ(follower.labels().size(), 1U) << "what is not spendable stays so";
  EXPECT_EQ(follower.labels()[0].spendable, false);
}

TEST_F(SharedWallet, S6_ALostOrChangedLabelIsNoticed) {
  open(Mode::Shared).change_labels({label(LabelKind::Tx, "aa", "rent"), label(LabelKind::Tx, "bb", "food")});
  const auto original = test::read_file(path_);
  for (const char* damage :
       {"DELETE FROM label WHERE ref = 'aa'", "UPDATE label SET label = 'fun'", "UPDATE label SET ref = 'c'||ref",
        "UPDATE label SET spendable = 1", "UPDATE label SET type = 'addr'", "UPDATE label_total SET label_count = 1",
        "DELETE FROM label_total", "UPDATE label SET type = 'nonsense'"}) {
    test::write_file(path_, original);
    Database(path_, Mode::ReadWrite).execute(damage);
    EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadOnly).labels()); }), Kind::Corrupt) << damage;
  }
}

TEST_F(SharedWallet, WhoHasItOpenWhenItIsRenamedOrDeletedWritesNothing) {
  auto shared = open(Mode::Shared);
  const auto next = shared.load().state.key_chains[0].next_unissued;
  EXPECT_EQ(test::kind_thrown_by([&] { rename_wallet(path_, folder_.file("bob.sqlite")); }), Kind::Locked)
      << "a connection is open";
  std::filesystem::rename(path_, folder_.file("bob.sqlite"));
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(shared.issue(0, next)); }), Kind::Moved);
  EXPECT_EQ(test::kind_thrown_by([&] { shared.change_labels({label(LabelKind::Tx, "aa", "rent")}); }), Kind::Moved);
}

TEST_F(SharedWallet, WhatItWatchesGrowsAndItsTransactionsStay) {
  auto writer = open(Mode::ReadWrite);
  auto contents = writer.load();
  contents.config.gap_limit = 3;
  contents.config.birthday = 2;
  const auto more = wallet::Descriptor::parse("raw(51)", chain::params(contents.config.network));
  contents.config.key_chains.push_back({more->front(), false});
  contents.state.key_chains[0].watched = 30;
  contents.state.key_chains.push_back({.watched = 1, .last_used = {}, .next_unissued = 0});
  contents.state.scan.backfill = wallet::HeightRange{.from = 2, .to = 200};
  writer.reconfigure(contents);
  EXPECT_EQ(test::describe(writer.load()), test::describe(contents));
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents));
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  EXPECT_EQ(open(Mode::ReadOnly).load().config.gap_limit, 3U);
}

TEST_F(SharedWallet, ARenamedWalletIsWholeUnderItsNewNameAndNothingIsLeft) {
  open(Mode::Shared).change_labels({label(LabelKind::Tx, "aa", "rent")});
  const std::string bob = folder_.file("bob.sqlite");
  rename_wallet(path_, bob);
  EXPECT_FALSE(files().contains("alice.sqlite"));
  EXPECT_FALSE(files().contains("alice.sqlite.lock"));
  auto writer = WalletRepository::open(bob, Mode::ReadWrite);
  EXPECT_EQ(test::describe(writer.load()), test::describe(contents_));
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  EXPECT_EQ(WalletRepository::open(bob, Mode::ReadOnly).load().state.scan.scanned_to.height, 201)
      << "beside the writer";
  EXPECT_EQ(WalletRepository::open(bob, Mode::Shared).labels().size(), 1U);
}

TEST_F(SharedWallet, AWalletIsNeverRenamedOverAnotherNorWhileItIsInUse) {
  const std::string bob = folder_.file("bob.sqlite");
  test::write_file(bob, util::Bytes{1});
  EXPECT_EQ(test::kind_thrown_by([&] { rename_wallet(path_, bob); }), Kind::Exists);
  EXPECT_EQ(test::read_file(bob), util::Bytes{1});
  const auto follower = open(Mode::ReadWrite);
  EXPECT_EQ(test::kind_thrown_by([&] { rename_wallet(path_, folder_.file("carol.sqlite")); }), Kind::Locked);
  EXPECT_EQ(test::kind_thrown_by([&] { delete_wallet(path_); }), Kind::Locked);
  EXPECT_EQ(issued(), contents_.state.key_chains[0].next_unissued);
}

TEST_F(SharedWallet, ADeletedWalletLeavesNothingDamagedOrNot) {
  delete_wallet(path_);
  EXPECT_TRUE(files().empty());
  static_cast<void>(WalletRepository::create(path_, contents_, test::kWatchOnly, std::nullopt));
  test::write_file(path_, util::Bytes(5'000, 'x'));
  delete_wallet(path_);
  EXPECT_TRUE(files().empty());
}

TEST_F(SharedWallet, K4_ABackupIsPrivateWholeAndNeverOverwrites) {
  auto follower = open(Mode::ReadWrite);
  follower.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(300), .widened = false});
  const std::string copy = folder_.file("copy");
  const mode_t old = ::umask(0);
  backup_wallet(path_, copy);
  ::umask(old);
  struct stat info {};
  ASSERT_EQ(::stat(copy.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(WalletRepository::open(copy, Mode::ReadWrite).load().state.scan.scanned_to.height, 300);
  const auto bytes = test::read_file(copy);
  EXPECT_EQ(test::kind_thrown_by([&] { backup_wallet(path_, copy); }), Kind::Exists);
  EXPECT_EQ(test::read_file(copy), bytes);
  EXPECT_EQ(test::kind_thrown_by([&] { backup_wallet(path_, folder_.file("none/copy")); }), Kind::Missing);
  for (const auto& name : files()) {
    EXPECT_TRUE(!name.starts_with("copy.") || name == "copy.lock") << name << " is left";
  }
}

TEST_F(SharedWallet, S1_AWalletThatCouldNotBeShownIsNotMade) {
  const std::string bob = folder_.file("bob.sqlite");
  const auto make = [&](const std::function<void()>& show) {
    static_cast<void>(WalletRepository::create(bob, contents_, test::kWatchOnly, std::nullopt, show));
  };
  EXPECT_THROW(make([] { throw std::runtime_error("no output"); }), std::runtime_error);
  EXPECT_FALSE(files().contains("bob.sqlite"));
  EXPECT_FALSE(files().contains("bob.sqlite.new"));
  make([&] { EXPECT_FALSE(std::filesystem::exists(bob)) << "it has no name yet"; });
  EXPECT_TRUE(files().contains("bob.sqlite"));
}

TEST_F(SharedWallet, S4_ALogOfAnEarlierWalletIsNotTakenForThatOfANewOne) {
  test::write_file(folder_.file("bob.sqlite-wal"), util::Bytes{1});
  EXPECT_EQ(test::kind_thrown_by([&] {
              static_cast<void>(
                  WalletRepository::create(folder_.file("bob.sqlite"), contents_, test::kWatchOnly, std::nullopt));
            }),
            Kind::Exists);
}

TEST_F(SharedWallet, S4_AFileInPlaceOfAFolderIsRefusedAndNotTouched) {
  const std::string file = folder_.file("data");
  test::write_file(file, util::Bytes{1});
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(resolve_new(file + "/regtest/headers.dat")); }), Kind::Io);
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U);
}

}  // namespace
}  // namespace spv::store
