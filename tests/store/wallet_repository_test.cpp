#include "store/wallet_repository.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "store/schema.h"
#include "tests/store/wallet_repository_samples.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/long_tests.h"
#include "util/rng.h"

namespace spv::store {
namespace {

using Kind = StoreError::Kind;
using Mode = WalletRepository::Mode;

class WalletRepositoryTest : public ::testing::Test {
 protected:
  WalletRepository create() { return WalletRepository::create(path_, contents_, test::kWatchOnly, std::nullopt); }
  WalletRepository open(Mode mode) { return WalletRepository::open(path_, mode); }
  Kind open_fails() {
    return test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadOnly).load()); });
  }

  test::TempDir folder_;
  const std::string path_ = folder_.file("alice.sqlite");
  const WalletRepository::Contents contents_ = test::sample_contents();
};

TEST_F(WalletRepositoryTest, EverythingComesBack) {
  EXPECT_EQ(test::describe(create().load()), test::describe(contents_));
  EXPECT_EQ(test::describe(open(Mode::ReadWrite).load()), test::describe(contents_));
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents_));
}

TEST_F(WalletRepositoryTest, ASecretAndTheWalletsNatureComeBack) {
  const WalletInfo info{.kind = WalletKind::Mnemonic, .created = 12, .fingerprint = {{1, 2, 3, 4}}, .encrypted = false};
  const StoredSecret secret{.format = StoredSecret::Format::Plain, .data = {7, 0, 7}};
  static_cast<void>(WalletRepository::create(path_, contents_, info, secret));
  auto repository = open(Mode::ReadWrite);
  EXPECT_EQ(repository.info().kind, WalletKind::Mnemonic);
  EXPECT_EQ(repository.info().fingerprint, info.fingerprint);
  EXPECT_EQ(repository.info().created, 12);
  EXPECT_FALSE(repository.info().encrypted);
  EXPECT_EQ(repository.secret()->data, secret.data);
  EXPECT_TRUE(repository.replace_secret({.format = StoredSecret::Format::Encrypted, .data = {1}}));
  EXPECT_TRUE(open(Mode::ReadOnly).info().encrypted);
  EXPECT_EQ(open(Mode::ReadOnly).secret()->data, (util::SecretBytes{1}));
}

TEST_F(WalletRepositoryTest, K5_AReplacedSecretIsNowhereInTheFolder) {
  const std::string words = "abandon ability able about above absent";
  const StoredSecret plain{.format = StoredSecret::Format::Plain, .data = {words.begin(), words.end()}};
  const WalletInfo info{.kind = WalletKind::Mnemonic, .created = 12, .fingerprint = {}, .encrypted = false};
  auto repository = WalletRepository::create(path_, contents_, info, plain);
  const auto found = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const auto bytes = test::read_file(entry.path().string());
      if (std::string(bytes.begin(), bytes.end()).find(words) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(found()) << "it is plain, so the search must find it";
  EXPECT_TRUE(repository.replace_secret({.format = StoredSecret::Format::Encrypted, .data = {1, 2, 3}}));
  EXPECT_FALSE(found());
}

TEST_F(WalletRepositoryTest, K5_AReaderThatKeepsTheOldSecretInTheLogIsTold) {
  const WalletInfo info{.kind = WalletKind::Mnemonic, .created = 12, .fingerprint = {}, .encrypted = false};
  auto repository = WalletRepository::create(path_, contents_, info, StoredSecret{.format = {}, .data = {7, 7}});
  Database reader(path_, Mode::ReadOnly);
  {
    Transaction reading(reader, Transaction::Kind::Read);
    static_cast<void>(reader.integer("SELECT count(*) FROM tx"));
    EXPECT_FALSE(repository.replace_secret({.format = StoredSecret::Format::Encrypted, .data = {1}}));
  }
  EXPECT_TRUE(repository.replace_secret({.format = StoredSecret::Format::Encrypted, .data = {2}}));
  EXPECT_EQ(open(Mode::ReadOnly).secret()->data, (util::SecretBytes{2}));
}

// Ten years off in either direction, 1970, 2038, 2106 and beyond: times are facts to keep, not to compute with.
TEST_F(WalletRepositoryTest, S7_TimesOfAnyClockComeBack) {
  auto contents = contents_;
  contents.state.transactions.resize(1);
  auto writer = WalletRepository::create(path_, contents, test::kWatchOnly, std::nullopt);
  auto record = contents.state.transactions[0];
  for (const std::int64_t time :
       {std::int64_t{-315'360'000}, std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{1} << 32,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    record.first_seen = time;
    if (record.confirmation) record.confirmation->block_time = static_cast<std::uint32_t>(time);
    writer.commit({.transactions = {record}, .key_chains = {}, .scan = {}, .widened = false});
    EXPECT_EQ(open(Mode::ReadOnly).load().state.transactions[0], record) << time;
  }
}

TEST_F(WalletRepositoryTest, ChangesAreCommittedAndSeenByReadersOfAnOpenWallet) {
  auto writer = create();
  auto reader = open(Mode::ReadOnly);
  wallet::Wallet wallet(contents_.config, contents_.state);
  const auto tx = test::TxBuilder().pays(test::receive_script(18), 5).build();
  auto changes = test::confirm(wallet, tx, 201);
  ASSERT_TRUE(changes.widened);
  changes.merge(wallet.set_scan(test::scanned_to(201)));
  changes.merge(wallet.disconnect_above(test::block_at(200)));
  writer.commit(changes);
  const auto loaded = reader.load();
  EXPECT_EQ(loaded.state.transactions.size(), contents_.state.transactions.size() + 1);
  EXPECT_EQ(loaded.state.scan, wallet.scan());
  EXPECT_EQ(loaded.state.key_chains[0].last_used, 18U);
  EXPECT_EQ(wallet::Wallet(loaded.config, loaded.state).balance(), wallet.balance());
}

TEST_F(WalletRepositoryTest, ABirthdayThatWasADateBecomesAHeight) {
  auto dated = contents_;
  dated.config.birthday = 0;
  dated.config.birthday_time = 1'700'000'000;
  dated.state = wallet::Wallet::fresh_state(dated.config);
  auto writer = WalletRepository::create(path_, dated, test::kWatchOnly, std::nullopt);
  wallet::Wallet wallet(writer.load().config, writer.load().state);
  EXPECT_EQ(wallet.config().birthday_time, 1'700'000'000);
  writer.commit(wallet.set_birthday(4'032));
  const auto loaded = open(Mode::ReadOnly).load();
  EXPECT_EQ(loaded.config.birthday, 4'032);
  EXPECT_EQ(loaded.config.birthday_time, std::nullopt);
  EXPECT_EQ(loaded.state.scan.scanned_to.height, 4'031);
}

TEST_F(WalletRepositoryTest, ARecordThatMovesReplacesItself) {
  auto writer = create();
  auto moved = contents_.state.transactions.back();
  moved.confirmation.reset();
  moved.proof.clear();
  for (int i = 0; i < 3; ++i) writer.commit({.transactions = {moved}, .key_chains = {}, .scan = {}, .widened = false});
  const auto loaded = writer.load();
  EXPECT_EQ(loaded.state.transactions.size(), contents_.state.transactions.size());
  EXPECT_EQ(loaded.state.transactions.back(), moved);
}

TEST_F(WalletRepositoryTest, AScanStepIsOneSmallWrite) {
  auto writer = create();
  const auto size = [&] { return std::filesystem::file_size(path_ + "-wal"); };
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  const auto before = size();
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(202), .widened = false});
  EXPECT_LE(size() - before, 2 * (4096 + 24U));
}

TEST_F(WalletRepositoryTest, AWalletIsNeverOverwritten) {
  static_cast<void>(create());
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(create()); }), Kind::Exists);
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents_));
  test::write_file(folder_.file("other"), util::Bytes{1});
  const auto over = [&] {
    static_cast<void>(WalletRepository::create(folder_.file("other"), contents_, test::kWatchOnly, std::nullopt));
  };
  EXPECT_EQ(test::kind_thrown_by(over), Kind::Exists);
  EXPECT_EQ(test::read_file(folder_.file("other")), util::Bytes{1});
}

TEST_F(WalletRepositoryTest, S4_ALinkIsNotFollowedToMakeAWallet) {
  std::filesystem::create_symlink(folder_.file("elsewhere"), path_);
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(create()); }), Kind::Exists);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("elsewhere")));
}

TEST_F(WalletRepositoryTest, S4_MissingFoldersAndFilesAndDirectoriesAreTold) {
  EXPECT_EQ(open_fails(), Kind::Missing);
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadWrite)); }), Kind::Missing);
  EXPECT_FALSE(std::filesystem::exists(FileLock::lock_path(path_))) << "looking leaves nothing behind";
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(WalletRepository::open(folder_.path(), Mode::ReadOnly)); }),
            Kind::NotAWallet);
  const std::string long_name = folder_.file(std::string(300, 'x'));
  EXPECT_EQ(test::kind_thrown_by([&] {
              static_cast<void>(WalletRepository::create(long_name, contents_, test::kWatchOnly, std::nullopt));
            }),
            Kind::Io);
}

TEST_F(WalletRepositoryTest, S4_AReadOnlyFolderIsTold) {
  static_cast<void>(create());
  const pid_t child = ::fork();
  if (child == 0) {  // as nobody, since root may write everywhere
    if (::getuid() == 0 &&
        (::chmod(path_.c_str(), 0444) != 0 || ::chmod(folder_.path().c_str(), 0555) != 0 || ::setuid(65534) != 0)) {
      ::_exit(2);
    }
    if (::getuid() != 65534) ::chmod(folder_.path().c_str(), 0555);
    try {
      static_cast<void>(WalletRepository::create(folder_.file("bob.sqlite"), contents_, test::kWatchOnly, {}));
    } catch (const StoreError& error) {
      ::_exit(error.kind() == Kind::ReadOnly ? 0 : 3);
    }
    ::_exit(4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::chmod(folder_.path().c_str(), 0700);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("bob.sqlite")));
}

TEST_F(WalletRepositoryTest, AReaderLeavesNothingBesideTheFile) {
  static_cast<void>(create());
  const auto beside = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  };
  const auto before = beside();
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents_));
  EXPECT_EQ(beside(), before);

  auto writer = open(Mode::ReadWrite);
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  EXPECT_EQ(open(Mode::ReadOnly).load().state.scan.scanned_to.height, 201) << "beside a writer";
  EXPECT_TRUE(beside().contains(std::filesystem::path(path_ + "-wal").filename().string())) << "the writer's log stays";
}

TEST_F(WalletRepositoryTest, S4_AReaderNeedsNoRightToWrite) {
  static_cast<void>(create());
  const std::string odd = folder_.file("50%25?#.sqlite");
  std::filesystem::rename(path_, odd);
  const auto expected = test::describe(contents_);
  const pid_t child = ::fork();
  if (child == 0) {  // as nobody, since root may write everywhere
    ::chmod(odd.c_str(), 0444);
    ::chmod(folder_.path().c_str(), 0555);
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    try {
      ::_exit(test::describe(WalletRepository::open(odd, Mode::ReadOnly).load()) == expected ? 0 : 3);
    } catch (const StoreError& error) {
      ::_exit(4);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::chmod(folder_.path().c_str(), 0700);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(WalletRepositoryTest, K4_TheFileIsPrivateWhateverTheUmask) {
  const mode_t old = ::umask(0);
  const std::string nested = folder_.file("a/b/alice.sqlite");
  auto writer = WalletRepository::create(nested, contents_, test::kWatchOnly, std::nullopt);
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(201), .widened = false});
  ::umask(old);
  const auto mode = [](const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  };
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) EXPECT_EQ(mode(nested + suffix), 0600U) << suffix;
  EXPECT_EQ(mode(folder_.file("a")), 0700U);
  EXPECT_EQ(mode(folder_.file("a/b")), 0700U);
}

TEST_F(WalletRepositoryTest, S5_ASecondWriterIsRefusedAtOnceAndReadersAreNot) {
  auto writer = create();
  try {
    static_cast<void>(open(Mode::ReadWrite));
    FAIL() << "two writers";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), Kind::Locked);
    EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos) << error.what();
  }
  std::filesystem::create_symlink(path_, folder_.file("alias.sqlite"));
  EXPECT_EQ(test::kind_thrown_by(
                [&] { static_cast<void>(WalletRepository::open(folder_.file("alias.sqlite"), Mode::ReadWrite)); }),
            Kind::Locked);
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents_));
}

// SQLite's log goes by the name of the file: two writers under two names would each not see the other's.
TEST_F(WalletRepositoryTest, S5_AHardLinkedWalletIsRefusedUnderBothNames) {
  static_cast<void>(create());
  std::filesystem::create_hard_link(path_, folder_.file("bob.sqlite"));
  for (const char* name : {"alice.sqlite", "bob.sqlite"}) {
    for (const Mode mode : {Mode::ReadOnly, Mode::ReadWrite}) {
      EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(WalletRepository::open(folder_.file(name), mode)); }),
                Kind::Io);
    }
  }
  std::filesystem::remove(folder_.file("bob.sqlite"));
  EXPECT_EQ(test::describe(open(Mode::ReadWrite).load()), test::describe(contents_));
}

TEST_F(WalletRepositoryTest, S5_OfManyRacersOneWrites) {
  static_cast<void>(create());
  constexpr int kRacers = 4;
  const auto races = test::repeats(8, 100);
  for (std::uint64_t race = 0; race < races; ++race) {
    int start[2];
    int hold[2];
    ASSERT_EQ(::pipe(start), 0);
    ASSERT_EQ(::pipe(hold), 0);
    std::vector<pid_t> racers;
    for (int i = 0; i < kRacers; ++i) {
      racers.push_back(::fork());
      if (racers.back() != 0) continue;
      ::close(start[1]);
      ::close(hold[1]);
      char byte = 0;
      static_cast<void>(::read(start[0], &byte, 1) == 0);  // all go when the other end closes
      try {
        const auto writer = open(Mode::ReadWrite);
        static_cast<void>(::read(hold[0], &byte, 1) == 0);  // and the winner stays until all have tried
        ::_exit(0);
      } catch (const StoreError& error) {
        ::_exit(error.kind() == Kind::Locked ? 4 : 1);
      }
    }
    ::close(start[0]), ::close(hold[0]), ::close(start[1]);
    std::vector<int> codes;
    for (int ended = 0; ended + 1 < kRacers; ++ended) {
      int status = 0;
      ASSERT_GT(::wait(&status), 0);
      codes.push_back(WEXITSTATUS(status));
    }
    ::close(hold[1]);
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "the winner";
    for (const int code : codes) EXPECT_EQ(code, 4) << "refused at once, with the code of a lock";
  }
}

TEST_F(WalletRepositoryTest, S5_TheLockGoesWithTheWriter) {
  { auto writer = create(); }
  auto writer = open(Mode::ReadWrite);
  auto moved = std::move(writer);
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadWrite)); }), Kind::Locked);
}

TEST_F(WalletRepositoryTest, AWalletOfAnotherNetworkIsRefused) {
  static_cast<void>(create());
  EXPECT_NO_THROW(static_cast<void>(WalletRepository::open(path_, Mode::ReadOnly, chain::Network::Main)));
  EXPECT_EQ(test::kind_thrown_by(
                [&] { static_cast<void>(WalletRepository::open(path_, Mode::ReadOnly, chain::Network::Regtest)); }),
            Kind::WrongNetwork);
}

TEST_F(WalletRepositoryTest, S6_OtherFilesAreNoWallets) {
  test::write_file(path_, {});
  EXPECT_EQ(open_fails(), Kind::NotAWallet) << "empty";
  test::write_file(path_, util::Bytes(5'000, 'x'));
  EXPECT_EQ(open_fails(), Kind::NotAWallet) << "no database";
  std::filesystem::remove(path_);
  test::write_file(path_, {});
  Database(path_, Mode::ReadWrite).execute("CREATE TABLE notes (text TEXT)");
  EXPECT_EQ(open_fails(), Kind::NotAWallet) << "another database";
}

TEST_F(WalletRepositoryTest, S8_ANewerFormatIsRefusedAndNotTouched) {
  static_cast<void>(create());
  Database(path_, Mode::ReadWrite).execute("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = test::read_file(path_);
  EXPECT_EQ(open_fails(), Kind::NewerSchema);
  EXPECT_EQ(test::kind_thrown_by([&] { static_cast<void>(open(Mode::ReadWrite)); }), Kind::NewerSchema);
  EXPECT_EQ(test::read_file(path_), before);
}

// Files that earlier versions of the program left, one for each format.
TEST_F(WalletRepositoryTest, S8_AFileOfAnEarlierFormatIsBroughtUpToDateByWriterAndReader) {
  for (const int run : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
    const Mode mode = run % 2 == 0 ? Mode::ReadWrite : Mode::ReadOnly;
    const std::string version = std::to_string(run / 2 + 1);
    std::filesystem::copy_file(SPV_STORE_FIXTURES "/wallet_v" + version + ".sqlite", path_);
    auto opened = WalletRepository::open(path_, mode, chain::Network::Regtest);
    EXPECT_EQ(opened.labels().size(), run < 6 ? 0U : 2U);
    EXPECT_EQ(opened.frozen().size(), run < 6 ? 0U : 1U) << "what a label forbids to spend";
    const auto loaded = opened.load();
    const wallet::Wallet wallet(loaded.config, loaded.state);
    EXPECT_EQ(wallet.balance(), (wallet::Balance{.confirmed = 100'000'000, .unconfirmed = 25'000'000, .immature = 0}));
    EXPECT_EQ(wallet.history().size(), 3U);
    EXPECT_EQ(loaded.state.scan.scanned_to.height, 104);
    EXPECT_TRUE(loaded.state.told.empty()) << "nothing is known to be told";
    EXPECT_FALSE(loaded.state.synced) << "nor this";
    for (const auto& scripts : loaded.state.scripts) EXPECT_TRUE(scripts.empty()) << "they are derived";
    for (const auto& record : loaded.state.transactions) EXPECT_FALSE(record.sending) << "not known to be made here";
    EXPECT_EQ(loaded.state.key_chains[0].next_unissued, run < 2 ? 3U : 4U);
    EXPECT_EQ(loaded.state.scan.attested, wallet::Attestation{}) << "nothing is known of what was scanned before";
    EXPECT_EQ(Database(path_, Mode::ReadOnly).integer("PRAGMA user_version"), kSchemaVersion);
    std::filesystem::remove(path_);
  }
}

TEST_F(WalletRepositoryTest, S8_AMigrationThatFailsLeavesTheOldFile) {
  std::filesystem::copy_file(SPV_STORE_FIXTURES "/wallet_v1.sqlite", path_);
  std::uint64_t n = 1;
  for (bool failed = true; failed; n += 2) {
    test::FaultVfs disk;
    disk.fail_at(n, test::DiskFault::IoError, true);
    try {
      static_cast<void>(open(Mode::ReadWrite).load());
    } catch (const StoreError&) {
      disk.heal();
      const auto version = Database(path_, Mode::ReadOnly).integer("PRAGMA user_version");
      EXPECT_TRUE(version == 1 || version == kSchemaVersion);
    }
    failed = disk.has_failed();
    disk.heal();
  }
  EXPECT_GT(n, 10U);
  EXPECT_EQ(open(Mode::ReadOnly).load().state.transactions.size(), 3U);
}

TEST_F(WalletRepositoryTest, S6_ForeignTablesAndTriggersAreRefused) {
  static_cast<void>(create());
  Database(path_, Mode::ReadWrite).execute("CREATE TRIGGER sly AFTER UPDATE ON scan BEGIN DELETE FROM tx; END");
  EXPECT_EQ(open_fails(), Kind::Corrupt);
}

TEST_F(WalletRepositoryTest, S6_ALostDoubledOrChangedRowIsNoticed) {
  static_cast<void>(create());
  const auto original = test::read_file(path_);
  for (const char* damage :
       {"DELETE FROM tx WHERE id = 2", "UPDATE tx SET block_height = block_height + 1 WHERE id = 2",
        "UPDATE tx SET sequence = 5 WHERE id = 1", "UPDATE scan SET height = height + 1", "DELETE FROM scan",
        "UPDATE key_chain SET next_unissued = 0 WHERE id = 0", "DELETE FROM key_chain WHERE id = 1",
        "UPDATE key_chain SET watched = 2000000000", "UPDATE wallet SET network = 'regtest'",
        "UPDATE wallet SET birthday = 0", "UPDATE wallet SET kind = 'mnemonic'", "DELETE FROM wallet",
        "INSERT INTO secret VALUES (1, 0, x'00', x'00')", "UPDATE tx SET txid = zeroblob(32) WHERE id = 2",
        "UPDATE tx SET raw = x'00' WHERE id = 2", "UPDATE scan SET anchors = x'00'",
        "INSERT INTO script VALUES (0, 0, x'00', x'00')"}) {
    test::write_file(path_, original);
    Database(path_, Mode::ReadWrite).execute(damage);
    EXPECT_EQ(open_fails(), Kind::Corrupt) << damage;
  }
}

TEST_F(WalletRepositoryTest, S6_WhatAHostileFileSaysIsSafeToPrint) {
  static_cast<void>(create());
  auto bytes = test::read_file(path_);
  const std::string_view table = "CREATE TABLE";
  const std::string_view sly = "CREATE \x1B[2J\n";
  auto found = std::search(bytes.begin(), bytes.end(), table.begin(), table.end());
  ASSERT_NE(found, bytes.end());
  std::copy(sly.begin(), sly.end(), found);
  test::write_file(path_, bytes);
  try {
    static_cast<void>(open(Mode::ReadOnly).load());
    FAIL() << "it is opened";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), Kind::Corrupt);
    for (const char c : std::string_view(error.what())) EXPECT_TRUE(c >= ' ' && c <= '~') << error.what();
  }
}

// A damaged file is refused, or all of it is as it was (the damage hit nothing that is read).
TEST_F(WalletRepositoryTest, S6_FlippedBitsNeverChangeAWalletSilently) {
  static_cast<void>(create());
  const auto original = test::read_file(path_);
  const std::string expected = test::describe(contents_);
  util::Rng rng(6);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    auto bytes = original;
    bytes[rng.below(bytes.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    test::write_file(path_, bytes);
    try {
      EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), expected) << "round " << round;
    } catch (const StoreError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

// The last page may be that of an empty table: what is cut off there is zeros, and nothing is lost.
TEST_F(WalletRepositoryTest, S6_TruncatedFilesAreRefusedOrHoldTheSame) {
  static_cast<void>(create());
  const auto original = test::read_file(path_);
  const auto expected = test::describe(contents_);
  constexpr std::size_t kPage = 4'096;
  for (std::size_t size = 0; size < original.size(); size += 512) {
    test::write_file(path_, {original.data(), size});
    try {
      EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), expected) << size;
      EXPECT_GT(size, original.size() - kPage) << "a whole page is missing";
    } catch (const StoreError& error) {
      EXPECT_TRUE(error.kind() == Kind::Corrupt || error.kind() == Kind::NotAWallet) << size;
    }
  }
}

// One committed step is one transaction and its height: never one without the other.
TEST_F(WalletRepositoryTest, S1_AfterAKillTheFileHoldsWholeStepsAndAllThatWereTold) {
  static_cast<void>(create());
  const std::size_t start = contents_.state.transactions.size();
  util::Rng rng(1);
  std::size_t held = start;
  for (int round = 0; round < 50; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto writer = open(Mode::ReadWrite);
      wallet::Wallet wallet(writer.load().config, writer.load().state);
      for (int step = 0;; ++step) {
        const auto number = static_cast<std::uint64_t>(round * 100'000 + step + 10'000);
        const auto height = wallet.scan().scanned_to.height + 1;
        auto changes = test::confirm(wallet, test::TxBuilder(number).pays(test::receive_script(2), 1).build(), height);
        changes.merge(wallet.set_scan(test::scanned_to(height)));
        writer.commit(changes);
        if (::write(told[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(told[1]);
    std::size_t committed = 0;
    char byte = 0;
    if (round == 0) committed += ::read(told[0], &byte, 1) == 1 ? 1U : 0U;  // one at least, however slow the disk is
    ::usleep(static_cast<useconds_t>(10'000 + rng.below(60'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(told[0], &byte, 1) == 1) ++committed;
    ::close(told[0]);

    const auto loaded = open(Mode::ReadWrite).load();
    const std::size_t now = loaded.state.transactions.size();
    EXPECT_GE(now, held + committed);
    EXPECT_LE(now, held + committed + 1) << "at most the step that was under way";
    EXPECT_EQ(loaded.state.scan.scanned_to.height, 200 + static_cast<chain::Height>(now - start));
    held = now;
  }
  EXPECT_GT(held, start);
}

TEST_F(WalletRepositoryTest, S1_AKillWhileAWalletIsMadeLeavesNothingInTheWay) {
  test::write_file(path_ + ".new", util::Bytes(100, 1));
  test::write_file(path_ + ".new-wal", util::Bytes(100, 1));
  EXPECT_EQ(test::describe(create().load()), test::describe(contents_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new-wal"));
}

TEST_F(WalletRepositoryTest, S1_AKillBetweenTheTwoNamesOfANewWalletIsMended) {
  static_cast<void>(create());
  std::filesystem::create_hard_link(path_, path_ + ".new");
  EXPECT_EQ(test::describe(open(Mode::ReadOnly).load()), test::describe(contents_));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(WalletRepositoryTest, K4_AWiderModeIsMendedWhenTheWalletIsOpened) {
  static_cast<void>(create());
  for (const Mode mode : {Mode::ReadOnly, Mode::ReadWrite}) {
    ::chmod(path_.c_str(), 0666);
    static_cast<void>(open(mode));
    struct stat info {};
    ASSERT_EQ(::stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
  }
}

TEST_F(WalletRepositoryTest, S4_APathThatIsTooLongIsTold) {
  const std::string name(300, 'n');
  EXPECT_EQ(test::kind_thrown_by([&] {
              static_cast<void>(
                  WalletRepository::create(folder_.file(name + ".sqlite"), contents_, test::kWatchOnly, std::nullopt));
            }),
            Kind::Io);
}

TEST_F(WalletRepositoryTest, S10_AWalletMovedWithItsLogIsWhole) {
  auto writer = create();
  writer.commit({.transactions = {}, .key_chains = {}, .scan = test::scanned_to(300), .widened = false});
  std::filesystem::copy_file(path_, folder_.file("copy.sqlite"));
  std::filesystem::copy_file(path_ + "-wal", folder_.file("copy.sqlite-wal"));
  EXPECT_EQ(WalletRepository::open(folder_.file("copy.sqlite"), Mode::ReadWrite).load().state.scan.scanned_to.height,
            300);
}

}  // namespace
}  // namespace spv::store
