// FileStore: the common suite, and what only files do.
#include "store/file_store.h"

#include <filesystem>

#include "tests/store/store_suite.h"

namespace spv::test {
namespace {

class Folder final : public StorePlace {
 public:
  std::shared_ptr<store::Store> open(chain::Network network) override {
    return std::make_shared<store::FileStore>(dir_.file("wallets"), dir_.file("events.sqlite"), network);
  }

 private:
  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(Files, StoreSuite,
                         testing::Values(StoreKind{"files", [] { return std::make_unique<Folder>(); }}),
                         [](const auto& kind) { return kind.param.name; });

class FileStoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<store::FileStore> open() const {
    return std::make_unique<store::FileStore>(dir_.file("wallets"), dir_.file("events.sqlite"), chain::Network::Main);
  }
  /// The number tells one from another.
  static store::NewStoredWallet sample(std::uint32_t number = 0) {
    store::NewStoredWallet out{.contents = sample_contents(), .info = kWatchOnly, .secret = {}};
    out.contents.config.filter.tweak += number;
    return out;
  }
  static void tell(store::Store& store, store::StoredWallet& wallet, std::uint64_t number) {
    wallet::Changes changes;
    changes.events.emplace_back().txid = TxBuilder(number).build().txid();
    store::WalletChanges batch{.wallet = &wallet, .changes = &changes};
    store.commit({&batch, 1}, 1);
  }

  TempDir dir_;
};

// Each of thousands keeps its lock, and nothing else.
TEST_F(FileStoreTest, ManyAreOpenedWithOneDescriptorEach) {
  constexpr int kWallets = 20;
  const auto count = [] {
    const std::filesystem::directory_iterator open_files("/proc/self/fd");
    return std::distance(begin(open_files), end(open_files));
  };
  const auto store = open();
  std::vector<std::string> names;
  for (int n = 0; n < kWallets; ++n) store->create(names.emplace_back("w" + std::to_string(n)), sample());
  const auto before = count();
  const auto opened = store->open_all(names, store::Access::Write);
  EXPECT_LE(count() - before, kWallets);
  EXPECT_EQ(describe(opened[7].wallet->load()), describe(sample().contents)) << "it wakes up";
}

// As after a crash between the two commits: the file of the wallet has an event that the log does not have.
TEST_F(FileStoreTest, TheLogTakesOverWhatACrashKeptFromIt) {
  open()->create("mine", sample());
  {
    auto file =
        store::WalletRepository::open(dir_.file("wallets/mine.sqlite"), store::WalletRepository::Mode::ReadWrite);
    wallet::Changes changes;
    changes.events.resize(2);
    changes.events[1].net = 7;
    file.commit(changes, 5);
  }
  const auto store = open();
  EXPECT_EQ(store->newest_event(), 1) << "it was added";
  auto wallet = store->open("mine", store::Access::Write);
  const auto events = store->events(1, 10, std::nullopt);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<wallet::TxEvent>(events[1].data).net, 7);
  EXPECT_EQ(events[1].wallet, "mine");
  wallet.reset();
  static_cast<void>(store->open("mine", store::Access::Write));
  EXPECT_EQ(store->newest_event(), 3) << "each once";
}

TEST_F(FileStoreTest, ALogThatWasLostIsFilledAgainFromTheFiles) {
  open()->create("mine", sample());
  {
    const auto store = open();
    const auto wallet = store->open("mine", store::Access::Write);
    tell(*store, *wallet, 1);
    tell(*store, *wallet, 2);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(dir_.file("events.sqlite" + std::string(end)));
  const auto store = open();
  static_cast<void>(store->open("mine", store::Access::Write));
  EXPECT_EQ(store->events(0, 10, "mine").size(), 3U) << "it is added to this log";
}

TEST_F(FileStoreTest, AWalletThatIsRenamedDoesNotTellAgain) {
  const auto store = open();
  store->create("mine", sample());
  {
    const auto wallet = store->open("mine", store::Access::Write);
    tell(*store, *wallet, 1);
  }
  store->rename("mine", "ours");
  const auto wallet = store->open("ours", store::Access::Write);
  EXPECT_EQ(store->newest_event(), 2);
  tell(*store, *wallet, 2);
  const auto events = store->events(0, 10, std::nullopt);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].wallet, "ours");
}

TEST_F(FileStoreTest, ACopyBesideTheOriginalHasItsOwnEvents) {
  const auto store = open();
  store->create("mine", sample());
  {
    const auto mine = store->open("mine", store::Access::Write);
    wallet::Changes synced;
    synced.synced = true;
    store::WalletChanges batch{.wallet = mine.get(), .changes = &synced};
    store->commit({&batch, 1}, 1);
  }
  store->backup("mine", dir_.file("wallets/copy.sqlite"));
  EXPECT_FALSE(store->open("copy", store::Access::Write)->load().state.synced) << "of the copy that was not told";
  for (const char* name : {"mine", "copy"}) {
    const auto wallet = store->open(name, store::Access::Write);
    tell(*store, *wallet, 1);
  }
  EXPECT_EQ(store->events(0, 10, "mine").size(), 3U);
  EXPECT_EQ(std::get<store::WalletEvent>(store->events(0, 1, "copy").at(0).data).state, store::WalletState::Added);
}

// As after a crash between the two, or without `spv delete`.
TEST_F(FileStoreTest, AWalletThatIsGoneFromTheFolderIsToldAsRemoved) {
  const auto store = open();
  for (const char* name : {"gone", "here", "moved"}) store->create(name, sample(static_cast<std::uint32_t>(*name)));
  for (int i = 0; i < 2; ++i) static_cast<void>(open()->wait_leased(std::chrono::milliseconds(1)));
  EXPECT_EQ(store->newest_event(), 3) << "nothing is gone yet";
  std::filesystem::remove(dir_.file("wallets/gone.sqlite"));
  std::filesystem::rename(dir_.file("wallets/moved.sqlite"), dir_.file("wallets/by_hand.sqlite"));
  for (int i = 0; i < 2; ++i) static_cast<void>(open()->wait_leased(std::chrono::milliseconds(1)));
  static_cast<void>(store->open("by_hand", store::Access::Write));
  ASSERT_EQ(store->newest_event(), 4);
  const auto last = store->events(3, 1, std::nullopt).at(0);
  EXPECT_EQ(last.wallet, "gone");
  EXPECT_EQ(std::get<store::WalletEvent>(last.data).state, store::WalletState::Removed);
}

TEST_F(FileStoreTest, AnotherFileOfTheSameNameIsAnotherWallet) {
  const auto store = open();
  store->create("mine", sample(1));
  std::filesystem::remove(dir_.file("wallets/mine.sqlite"));
  store->create("mine", sample(2));
  std::vector<store::WalletState> states;
  for (const auto& each : store->events(0, 10, "mine")) states.push_back(std::get<store::WalletEvent>(each.data).state);
  using enum store::WalletState;
  EXPECT_THAT(states, testing::ElementsAre(Added, Removed, Added));
}

// Where the log cannot be written the wallet is there all the same, and is told when the log can be written again.
TEST_F(FileStoreTest, AWalletIsMadeAndDeletedWithoutALogToo) {
  std::filesystem::create_directory(dir_.file("events.sqlite"));
  {
    const auto store = open();
    store->create("mine", sample());
    store->create("gone", sample());
    store->remove("gone");
  }
  std::filesystem::remove(dir_.file("events.sqlite"));
  const auto store = open();
  EXPECT_THAT(store->names(), testing::ElementsAre("mine"));
  EXPECT_EQ(store->newest_event(), 0);
  static_cast<void>(store->open("mine", store::Access::Write));
  EXPECT_EQ(store->events(0, 10, "mine").size(), 1U);
}

TEST_F(FileStoreTest, ListsOnlyWalletFiles) {
  const auto store = open();
  store->create("b", sample());
  store->create("a", sample());
  write_file(dir_.file("wallets/.hidden.sqlite"), {});
  write_file(dir_.file("wallets/notes.txt"), {});
  std::filesystem::create_directory(dir_.file("wallets/c.sqlite"));
  EXPECT_THAT(store->names(), testing::ElementsAre("a", "b"));
}

TEST_F(FileStoreTest, OnlyNamesThatLeadNowhereElseAreNames) {
  for (const char* name : {"", ".", "..", "../a", "a/b", "-a", ".a", "a b", "a\n"}) {
    EXPECT_FALSE(store::is_wallet_name(name)) << name;
  }
  EXPECT_TRUE(store::is_wallet_name("a.b_c-1"));
  EXPECT_TRUE(store::is_wallet_name(std::string(64, 'a')));
  EXPECT_FALSE(store::is_wallet_name(std::string(65, 'a')));
}

// What is not done is not there, and what is done stays.
TEST_F(FileStoreTest, AFileThatFailsKeepsTheOthersOfABatch) {
  const auto store = open();
  for (const char* name : {"a", "b"}) store->create(name, sample());
  auto a = store->open("a", store::Access::Write);
  auto b = store->open("b", store::Access::Write);
  wallet::Changes good;
  good.events.resize(1);
  wallet::Changes bad = good;
  bad.key_chains = {{.chain = 9, .state = {}}};  // of a chain that is not there
  std::vector<store::WalletChanges> batch{{.wallet = a.get(), .changes = &good}, {.wallet = b.get(), .changes = &bad}};
  EXPECT_EQ(kind_thrown_by([&] { store->commit(batch, 1); }), store::StoreError::Kind::Corrupt);
  EXPECT_TRUE(batch[0].done);
  EXPECT_FALSE(batch[1].done);
  EXPECT_EQ(store->events(2, 10, std::nullopt).size(), 1U);
  EXPECT_TRUE(b->load().state.told.empty());
}

}  // namespace
}  // namespace spv::test
