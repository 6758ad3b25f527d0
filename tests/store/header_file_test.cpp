#include "store/header_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "tests/chain/header_builder.h"

namespace spv::store {
namespace {

namespace fs = std::filesystem;
using chain::BlockHeader;
using chain::BlockRef;
using chain::Height;
using chain::Network;
using chain::Uint256;
using chain::test::kLater;
using chain::test::mine_on;

constexpr std::size_t kSlots = 512;
constexpr std::size_t kRecords = 4096;
constexpr std::size_t kUnhashedDepth = 2100;  // safely below what opening looks at

const chain::NetworkParams& regtest() { return params(Network::Regtest); }

class HeaderFileTest : public testing::Test {
 protected:
  HeaderFileTest() {
    std::string pattern = (fs::temp_directory_path() / "spv-headers-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = (folder / "headers.dat").string();
  }
  ~HeaderFileTest() override { fs::remove_all(folder); }

  std::unique_ptr<HeaderFile> open() const { return HeaderFile::open(path, regtest()); }
  /// Opens, adds to the chain, closes.
  void feed(std::span<const BlockHeader> headers) const {
    const auto file = open();
    chain::HeaderChain chain(regtest(), *file);
    ASSERT_EQ(chain.accept(headers, kLater).error, std::nullopt);
  }
  std::string contents() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_contents(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// Whatever happened to the file, it must open to a prefix of `headers` and grow to the whole again.
  void expect_prefix_that_grows(std::span<const BlockHeader> headers) const {
    const auto file = open();
    ASSERT_LE(file->tip_height(), static_cast<Height>(headers.size()));
    for (Height height = 1; height <= file->tip_height(); ++height) {
      ASSERT_EQ(file->at(height), headers[static_cast<std::size_t>(height - 1)]);
    }
    ASSERT_EQ(file->tip_work(), Uint256(2) * static_cast<std::uint32_t>(file->tip_height() + 1));
    chain::HeaderChain chain(regtest(), *file);
    ASSERT_EQ(chain.accept(headers, kLater).error, std::nullopt);
    ASSERT_EQ(chain.tip(), (BlockRef{static_cast<Height>(headers.size()), headers.back().hash()}));
  }

  fs::path folder;
  std::string path;
};

TEST_F(HeaderFileTest, StartsWithGenesis) {
  const auto file = open();
  EXPECT_TRUE(file->is_writer());
  EXPECT_FALSE(file->was_mended());
  EXPECT_EQ(file->tip_height(), 0);
  EXPECT_EQ(file->at(0), regtest().genesis);
  EXPECT_EQ(file->hash_at(0), regtest().genesis_hash);
  EXPECT_EQ(file->tip_work(), Uint256(2));
}

TEST_F(HeaderFileTest, IsForTheOwnerOnly) {
  path = (folder / "deep" / "headers.dat").string();
  open();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder / "deep").permissions(), fs::perms::owner_all);
}

TEST_F(HeaderFileTest, OpensWhereItWasLeft) {
  const auto headers = mine_on(regtest().genesis, 3000);
  feed(std::span(headers).first(2000));
  feed(std::span(headers).subspan(2000));
  const auto file = open();
  EXPECT_FALSE(file->was_mended());
  EXPECT_EQ(file->tip_height(), 3000);
  EXPECT_EQ(file->tip_work(), Uint256(6002));
  EXPECT_EQ(file->hash_at(3000), headers.back().hash());
  EXPECT_EQ(file->hash_at(1), headers[0].hash());
  EXPECT_EQ(file->at(1500), headers[1499]);
  EXPECT_EQ(file->find(headers[7].hash()), 8);
  EXPECT_EQ(file->find({}), std::nullopt);
}

TEST_F(HeaderFileTest, KeepsAReorganisation) {
  const auto old_branch = mine_on(regtest().genesis, 30, 1);
  const auto new_branch = mine_on(old_branch[9], 25, 2);
  feed(old_branch);
  feed(new_branch);
  const auto file = open();
  EXPECT_FALSE(file->was_mended());
  EXPECT_EQ(file->tip_height(), 35);
  EXPECT_EQ(file->hash_at(35), new_branch.back().hash());
  EXPECT_EQ(file->at(10), old_branch[9]);
  EXPECT_EQ(file->at(11), new_branch[0]);
  EXPECT_EQ(file->tip_work(), Uint256(72));
}

TEST_F(HeaderFileTest, CanBeShortened) {
  const auto headers = mine_on(regtest().genesis, 30);
  feed(headers);
  open()->replace_above(10, {}, headers[9].hash(), 22);
  EXPECT_EQ(open()->tip_height(), 10);
  expect_prefix_that_grows(headers);
}

TEST_F(HeaderFileTest, S1_AnUncommittedDownloadIsAPrefix) {
  const auto headers = mine_on(regtest().genesis, 4000);
  std::string while_running;
  {
    const auto file = open();
    chain::HeaderChain chain(regtest(), *file);
    chain.accept(std::span(headers).first(2000), kLater);  // a full batch: more will come, so not committed yet
    chain.accept(std::span(headers).subspan(2000), kLater);
    while_running = contents();
  }
  set_contents(while_running);
  EXPECT_EQ(open()->tip_height(), 0);
  expect_prefix_that_grows(headers);
}

TEST_F(HeaderFileTest, S1_S2_AReorganisationThatWasCutAnywhereLeavesOneOfTheChains) {
  const auto old_branch = mine_on(regtest().genesis, 12, 1);
  auto new_chain = mine_on(old_branch[3], 10, 2);
  feed(old_branch);
  const std::string before = contents();
  {
    const auto file = open();
    file->replace_above(4, {}, old_branch[3].hash(), 10);  // what the reorganisation commits first
  }
  const std::string forked = contents();
  feed(new_chain);
  const std::string after = contents();
  new_chain.insert(new_chain.begin(), old_branch.begin(), old_branch.begin() + 4);
  for (const auto& slots : {before, forked, after}) {
    for (std::size_t cut = kRecords; cut <= after.size(); cut += 29) {
      std::string mixed = slots.substr(0, kRecords) + after.substr(kRecords, cut - kRecords);
      if (mixed.size() < before.size()) mixed += before.substr(mixed.size());
      set_contents(mixed);
      const auto file = open();
      for (Height height = 1; height <= file->tip_height(); ++height) {
        const auto index = static_cast<std::size_t>(height - 1);
        const BlockHeader header = file->at(height);
        ASSERT_TRUE((index < 12 && header == old_branch[index]) || header == new_chain[index]) << cut;
      }
      chain::HeaderChain chain(regtest(), *file);
      ASSERT_EQ(chain.accept(new_chain, kLater).error, std::nullopt);
      ASSERT_EQ(chain.tip().hash, new_chain.back().hash());
      ASSERT_EQ(chain.work(), Uint256(30));
    }
  }
}

TEST_F(HeaderFileTest, S6_EveryFlippedByteOfTheHeadIsFound) {
  const auto headers = mine_on(regtest().genesis, 20);
  feed(std::span(headers).first(15));
  feed(std::span(headers).subspan(15));
  const std::string good = contents();
  for (std::size_t at = 0; at < kSlots * 2 + 100; ++at) {
    if (at > 100 && at < kSlots) continue;
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    set_contents(bad);
    SCOPED_TRACE(at);
    expect_prefix_that_grows(headers);
    if (HasFatalFailure()) return;
  }
}

TEST_F(HeaderFileTest, S6_EveryTruncationIsFound) {
  const auto headers = mine_on(regtest().genesis, 20);
  feed(headers);
  const std::string good = contents();
  for (std::size_t size = 0; size < good.size(); size += size < kRecords ? 64 : 13) {
    set_contents(good.substr(0, size));
    SCOPED_TRACE(size);
    expect_prefix_that_grows(headers);
    if (HasFatalFailure()) return;
  }
}

TEST_F(HeaderFileTest, S6_EveryFlippedRecordNearTheTipIsFoundAtOpening) {
  const auto headers = mine_on(regtest().genesis, 20);
  feed(headers);
  const std::string good = contents();
  for (std::size_t at = kRecords; at < good.size(); at += 7) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x01);
    set_contents(bad);
    SCOPED_TRACE(at);
    {
      const auto file = open();
      EXPECT_TRUE(file->was_mended());
      EXPECT_LT(file->tip_height(), static_cast<Height>(std::max<std::size_t>(1, (at - kRecords) / 80)));
    }
    expect_prefix_that_grows(headers);
    if (HasFatalFailure()) return;
  }
}

TEST_F(HeaderFileTest, S6_AFlippedRecordFarBelowIsFoundWhenReadAndMendedAtTheNextOpening) {
  const auto headers = mine_on(regtest().genesis, kUnhashedDepth + 100);
  feed(headers);
  const std::string good = contents();
  std::mt19937 random(7);  // NOLINT: the same flips every time
  for (int i = 0; i < 20; ++i) {
    const std::size_t record = 1 + random() % 90;
    std::string bad = good;
    char& victim = bad[kRecords + record * 80 + random() % 80];
    victim = static_cast<char>(victim ^ (1 << random() % 8));
    set_contents(bad);
    const auto height = static_cast<Height>(record);
    {
      const auto file = open();
      EXPECT_FALSE(file->was_mended());
      EXPECT_THROW(static_cast<void>(file->at(height)), std::runtime_error);
    }
    const Height mended = open()->tip_height();
    EXPECT_LT(mended, height);
    EXPECT_GE(mended, height - 2) << "what is sound is kept";
    expect_prefix_that_grows(headers);
    if (HasFatalFailure()) return;
  }
}

TEST_F(HeaderFileTest, S6_GarbageStartsAnew) {
  const auto headers = mine_on(regtest().genesis, 5);
  for (const auto& garbage : {std::string("x"), std::string(5000, '\xFF'), std::string(100'000, '\0')}) {
    set_contents(garbage);
    EXPECT_TRUE(open()->was_mended());
    set_contents(garbage);
    expect_prefix_that_grows(headers);
  }
}

TEST_F(HeaderFileTest, TheSecondOpenerReadsAndKeepsItsOwnInMemory) {
  const auto headers = mine_on(regtest().genesis, 40);
  feed(std::span(headers).first(20));
  const auto writer = open();
  const auto reader = open();
  EXPECT_TRUE(writer->is_writer());
  EXPECT_FALSE(reader->is_writer());
  const std::string before = contents();
  chain::HeaderChain readers_chain(regtest(), *reader);
  EXPECT_EQ(readers_chain.accept(headers, kLater).update.added, 20U);
  EXPECT_EQ(readers_chain.height(), 40);
  EXPECT_EQ(contents(), before);
  chain::HeaderChain writers_chain(regtest(), *writer);
  EXPECT_EQ(writers_chain.height(), 20);
  EXPECT_EQ(writers_chain.accept(headers, kLater).update.added, 20U);
  EXPECT_EQ(readers_chain.find(headers[4].hash()), 5);
}

TEST_F(HeaderFileTest, AReaderIsNotDisturbedByTheWritersReorganisation) {
  const auto old_branch = mine_on(regtest().genesis, kUnhashedDepth, 1);
  const auto new_branch = mine_on(old_branch[kUnhashedDepth - 500], 600, 2);
  feed(old_branch);
  const auto writer = open();
  const auto reader = open();
  chain::HeaderChain writers_chain(regtest(), *writer);
  ASSERT_TRUE(writers_chain.accept(new_branch, kLater).update.is_reorganisation());
  for (Height height = 1; height <= reader->tip_height(); ++height) {
    ASSERT_EQ(reader->at(height), old_branch[static_cast<std::size_t>(height - 1)]);
  }
  chain::HeaderChain readers_chain(regtest(), *reader);
  EXPECT_TRUE(readers_chain.accept(new_branch, kLater).update.is_reorganisation());
  EXPECT_EQ(readers_chain.tip(), writers_chain.tip());
  EXPECT_EQ(readers_chain.work(), writers_chain.work());
}

TEST_F(HeaderFileTest, AReaderMayReorganiseBelowWhatItHoldsInMemory) {
  const auto old_branch = mine_on(regtest().genesis, kUnhashedDepth, 1);
  const auto new_branch = mine_on(old_branch[9], kUnhashedDepth, 2);
  feed(old_branch);
  const auto writer = open();
  const auto reader = open();
  chain::HeaderChain chain(regtest(), *reader);
  EXPECT_TRUE(chain.accept(new_branch, kLater).update.is_reorganisation());
  EXPECT_EQ(chain.at(10), old_branch[9]);
  EXPECT_EQ(chain.at(11), new_branch[0]);
  EXPECT_EQ(chain.find(new_branch[50].hash()), 61);
  EXPECT_EQ(writer->hash_at(11), old_branch[10].hash());
}

TEST_F(HeaderFileTest, RefusesAFileOfAnotherNetwork) {
  open();
  EXPECT_THROW(HeaderFile::open(path, params(Network::Main)), std::runtime_error);
  EXPECT_EQ(open()->tip_height(), 0);
}

TEST_F(HeaderFileTest, MayBeginAtACheckpointAndStartsAnewForAnEarlierOne) {
  const auto headers = mine_on(regtest().genesis, 2030);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  {
    const auto file = HeaderFile::open(path, regtest(), base);
    chain::HeaderChain chain(regtest(), *file);
    EXPECT_EQ(chain.accept(std::span(headers).subspan(2016), kLater).error, std::nullopt);
  }
  EXPECT_EQ(HeaderFile::open(path, regtest(), base)->tip_height(), 2030);
  EXPECT_EQ(HeaderFile::open(path, regtest(), base)->base_height(), 2016);
  EXPECT_EQ(open()->tip_height(), 0);
  feed(headers);
  const auto whole = HeaderFile::open(path, regtest(), base);
  EXPECT_EQ(whole->base_height(), 0);
  EXPECT_EQ(whole->tip_height(), 2030);
  EXPECT_EQ(whole->tip_work(), Uint256(4062));
}

TEST_F(HeaderFileTest, ALookLeavesTheBaseAndTheWriterAlone) {
  const auto headers = mine_on(regtest().genesis, 2030);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  const auto writer = HeaderFile::open(path, regtest(), base);
  chain::HeaderChain chain(regtest(), *writer);
  EXPECT_EQ(chain.accept(std::span(headers).subspan(2016), kLater).error, std::nullopt);
  const auto look = HeaderFile::open_to_read(path, regtest());
  EXPECT_FALSE(look->is_writer());
  EXPECT_EQ(look->base_height(), 2016);
  EXPECT_EQ(look->tip_height(), 2030);
  EXPECT_EQ(look->tip_work(), Uint256(4062));
  EXPECT_EQ(look->hash_at(2016), headers[2015].hash());
}

TEST_F(HeaderFileTest, ALookAloneKeepsNobodyFromWriting) {
  feed(mine_on(regtest().genesis, 20));
  const auto look = HeaderFile::open_to_read(path, regtest());
  EXPECT_TRUE(open()->is_writer());
}

TEST_F(HeaderFileTest, ALowerStartKeepsItsFileWhileAReaderIsStillOnTheOldOne) {
  const auto headers = mine_on(regtest().genesis, 2030);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  {
    const auto file = HeaderFile::open(path, regtest(), base);
    chain::HeaderChain chain(regtest(), *file);
    EXPECT_EQ(chain.accept(std::span(headers).subspan(2016), kLater).error, std::nullopt);
  }
  const auto reader = HeaderFile::open_to_read(path, regtest());
  feed(headers);
  EXPECT_EQ(reader->tip_height(), 2030);
  EXPECT_EQ(reader->at(2025), headers[2024]);
  EXPECT_FALSE(fs::exists(path + ".new"));
  const auto whole = open();
  EXPECT_EQ(whole->base_height(), 0);
  EXPECT_EQ(whole->tip_height(), 2030);
}

// What a reader does not hold in memory is read from the file whenever it is asked for.
TEST_F(HeaderFileTest, AReaderOfALongFileIsNotDisturbedByALowerStart) {
  const auto headers = mine_on(regtest().genesis, 2016 + 4100);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  {
    const auto file = HeaderFile::open(path, regtest(), base);
    chain::HeaderChain chain(regtest(), *file);
    EXPECT_EQ(chain.accept(std::span(headers).subspan(2016), kLater).error, std::nullopt);
  }
  const auto reader = HeaderFile::open_to_read(path, regtest());
  feed(std::span(headers).first(1'000));
  EXPECT_EQ(reader->base_height(), 2016);
  for (Height height = 2016; height <= 6116; ++height) {
    ASSERT_EQ(reader->at(height), headers[static_cast<std::size_t>(height - 1)]) << height;
  }
  EXPECT_EQ(HeaderFile::open_to_read(path, regtest())->tip_height(), 1'000);
}

TEST_F(HeaderFileTest, AReaderThatOpensWhileTheWriterReorganisesSeesOneOfTheChains) {
  const auto common = mine_on(regtest().genesis, 2'500);
  feed(common);
  std::array<std::vector<BlockHeader>, 2> branches = {mine_on(common.back(), 60, 1), mine_on(common.back(), 61, 2)};
  std::atomic<bool> done = false;
  std::jthread writing([&] {
    const auto file = open();
    chain::HeaderChain chain(regtest(), *file);
    for (std::size_t turn = 0; turn < 60; ++turn) {
      auto& branch = branches[turn % 2];
      const auto more = mine_on(branch.back(), 2, static_cast<std::uint8_t>(turn));
      branch.insert(branch.end(), more.begin(), more.end());
      chain.accept(branch, kLater);
    }
    done = true;
  });
  std::size_t looks = 0;
  std::size_t mended = 0;
  while (!done) {
    std::unique_ptr<HeaderFile> reader;
    try {
      reader = HeaderFile::open_to_read(path, regtest());
    } catch (const HeadersChanged&) {
      continue;  // on a slow machine it may be overtaken again and again, and says so
    }
    ++looks;
    mended += reader->was_mended() ? 1U : 0U;
    ASSERT_GE(reader->tip_height(), 2'500);
    for (Height height = reader->tip_height(); height > 2'490; --height) {
      ASSERT_EQ(reader->at(height).hash(), reader->hash_at(height)) << "parts of two chains";
    }
  }
  writing.join();
  EXPECT_GT(looks, 0U);
  EXPECT_EQ(mended, 0U) << "the writer's work was taken for damage";
}

TEST_F(HeaderFileTest, OneOfTwoThatStartAnewWrites) {
  const auto headers = mine_on(regtest().genesis, 2030);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  HeaderFile::open(path, regtest(), base);
  const auto first = open();
  const auto second = open();
  EXPECT_TRUE(first->is_writer());
  EXPECT_FALSE(second->is_writer()) << "the lock went with the name";
}

TEST_F(HeaderFileTest, WhatACrashLeftBesideTheFileIsInNobodysWay) {
  const auto headers = mine_on(regtest().genesis, 2030);
  const HeaderBase base{.height = 2016, .header = headers[2015], .work = 4034};
  HeaderFile::open(path, regtest(), base);
  std::ofstream(path + ".new") << std::string(100'000, 'x');
  feed(headers);
  EXPECT_EQ(open()->tip_height(), 2030);
  EXPECT_EQ(fs::file_size(path), kRecords + 2031 * BlockHeader::kSize);
}

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  double total = 0;
  double resident = 0;
  in >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

constexpr bool kSanitized =
#ifdef __SANITIZE_ADDRESS__
    true;  // keeps freed memory back
#else
    false;
#endif

// A million with SPV_LONG_TESTS=1, and always in ./scripts/bench headers.
TEST_F(HeaderFileTest, H9_HeadersOfLittleWorkWithoutEndCostNoDiskAndLittleMemory) {
  const std::size_t count = std::getenv("SPV_LONG_TESTS") != nullptr ? 1'000'000 : 40'000;
  constexpr std::size_t kBatch = 2'000;
  const chain::test::TwoDifficulties two(0x1F1FFFFF);  // 2,048 hashes a block against two
  const HeaderBase base{
      .height = 0, .header = two.network.genesis, .work = chain::work_of_bits(two.network.genesis.bits)};
  const auto file = HeaderFile::open(path, two.network, base);
  chain::HeaderChain chain(two.network, *file);
  const auto honest = two.hard(two.network.genesis, 1 + count / 900);
  ASSERT_EQ(chain.accept(honest, kLater, {.id = 1, .is_sole = false}).error, std::nullopt);
  const auto size = fs::file_size(path);
  BlockHeader last = two.network.genesis;
  double before = 0;
  double most = 0;
  for (std::size_t sent = 0; sent < count; sent += kBatch) {
    const auto batch = two.easy(last, kBatch, 9);
    last = batch.back();
    if (sent == 0) before = resident_mib();
    const auto result = chain.accept(batch, kLater, {.id = 2, .is_sole = false});
    ASSERT_EQ(result.error, std::nullopt);
    ASSERT_FALSE(result.update.tip_changed());
    most = std::max(most, resident_mib() - before);
  }
  EXPECT_TRUE(chain.is_probing(2)) << "nothing of it is held";
  EXPECT_EQ(fs::file_size(path), size);
  EXPECT_EQ(chain.tip().hash, honest.back().hash());
  EXPECT_LE(most, kSanitized ? 1e9 : 2.0);
}

TEST_F(HeaderFileTest, S3_AFullDiskIsAnErrorAndTheFileStaysGood) {
  const auto headers = mine_on(regtest().genesis, 40);
  feed(std::span(headers).first(20));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  rlimit limit = old_limit;
  limit.rlim_cur = fs::file_size(path) + 100;
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THROW(feed(headers), std::system_error);
  setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_EQ(open()->tip_height(), 20);
  expect_prefix_that_grows(headers);
}

TEST_F(HeaderFileTest, S4_APathThatCannotBeAFileIsAnError) {
  EXPECT_THROW(HeaderFile::open(folder.string(), regtest()), std::system_error);
  EXPECT_THROW(HeaderFile::open(path + std::string(300, 'x'), regtest()), std::system_error);
  fs::create_symlink(path, folder / "link");
  EXPECT_THROW(HeaderFile::open((folder / "link").string(), regtest()), std::system_error);
}

}  // namespace
}  // namespace spv::store
