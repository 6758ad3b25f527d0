#include "store/filter_header_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "chain/pow.h"
#include "store/header_file.h"
#include "tests/chain/header_builder.h"
#include "util/hash.h"

namespace spv::store {
namespace {

namespace fs = std::filesystem;
using chain::Height;
using util::FilterHeader;

constexpr std::size_t kHead = 4096;
constexpr std::size_t kPage = 127;

/// A made-up filter header for a block of a branch.
FilterHeader made_up(Height height, std::uint8_t branch = 0) {
  const util::Bytes seed{static_cast<std::uint8_t>(height), static_cast<std::uint8_t>(height >> 8U),
                         static_cast<std::uint8_t>(height >> 16U), branch};
  return util::retag<FilterHeader>(util::sha256(seed));
}

std::vector<FilterHeader> made_up_range(Height first, Height last, std::uint8_t branch = 0) {
  std::vector<FilterHeader> out;
  for (Height height = first; height <= last; ++height) out.push_back(made_up(height, branch));
  return out;
}

class FilterHeaderFileTest : public testing::Test {
 protected:
  FilterHeaderFileTest() : headers(0, regtest.genesis, chain::work_of_bits(regtest.genesis.bits)) {
    std::string pattern = (fs::temp_directory_path() / "spv-filter-headers-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = (folder / "filter-headers.dat").string();
  }
  ~FilterHeaderFileTest() override { fs::remove_all(folder); }

  /// Replaces the block headers above `fork` by so many of a branch.
  void mine(Height fork, std::size_t count, std::uint8_t branch = 0) {
    const auto more = chain::test::mine_on(headers.at(fork), count, branch);
    headers.replace_above(fork, more, more.back().hash(), 0);
  }
  std::unique_ptr<FilterHeaderFile> open() const { return FilterHeaderFile::open(path, regtest, headers); }
  std::string contents() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_contents(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// Whatever happened to the file, it has a prefix of branch 0, or says that it is damaged, and grows again.
  void expect_prefix_that_grows(Height tip) const {
    for (int tries = 0; tries < 2; ++tries) {
      const auto file = open();
      ASSERT_LE(file->tip_height(), tip);
      try {
        for (Height h = 0; h <= file->tip_height(); ++h) ASSERT_EQ(file->at(h), made_up(h)) << h;
      } catch (const std::runtime_error&) {
        ASSERT_EQ(tries, 0) << "a file that was found damaged starts anew";
        continue;
      }
      file->replace_above(file->tip_height(), made_up_range(file->tip_height() + 1, tip));
      break;
    }
    const auto file = open();
    ASSERT_EQ(file->tip_height(), tip);
    for (Height h = 0; h <= tip; ++h) ASSERT_EQ(file->at(h), made_up(h)) << h;
  }

  const chain::NetworkParams& regtest = params(chain::Network::Regtest);
  chain::MemoryHeaderStore headers;
  fs::path folder;
  std::string path;
};

TEST_F(FilterHeaderFileTest, StartsEmptyAndForTheOwnerOnly) {
  path = (folder / "deep" / "filter-headers.dat").string();
  const auto file = open();
  EXPECT_TRUE(file->is_writer());
  EXPECT_FALSE(file->was_mended());
  EXPECT_EQ(file->base_height(), 0);
  EXPECT_EQ(file->tip_height(), -1);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder / "deep").permissions(), fs::perms::owner_all);
}

TEST_F(FilterHeaderFileTest, OpensWhereItWasLeft) {
  mine(0, 600);
  for (const Height tip : {0, 1, 125, 126, 127, 253, 254, 300, 600}) {
    const Height before = open()->tip_height();
    open()->replace_above(before, made_up_range(before + 1, tip));
    const auto file = open();
    ASSERT_EQ(file->tip_height(), tip);
    for (Height h = 0; h <= tip; ++h) ASSERT_EQ(file->at(h), made_up(h)) << h;
  }
}

TEST_F(FilterHeaderFileTest, BeginsWhereTheHeadersBegin) {
  const auto from = chain::test::mine_on(regtest.genesis, 20);
  chain::MemoryHeaderStore later(2016, from[0], 10);
  later.replace_above(2016, std::span(from).subspan(1), from.back().hash(), 20);
  {
    const auto file = FilterHeaderFile::open(path, regtest, later);
    EXPECT_EQ(file->tip_height(), 2015);
    file->replace_above(2015, made_up_range(2016, 2030));
  }
  EXPECT_EQ(FilterHeaderFile::open(path, regtest, later)->at(2030), made_up(2030));
  EXPECT_EQ(open()->tip_height(), -1) << "the headers begin elsewhere now";
}

TEST_F(FilterHeaderFileTest, OfAnotherNetworkIsRefused) {
  open();
  const auto& other = params(chain::Network::Signet);
  const chain::MemoryHeaderStore genesis(0, other.genesis, 1);
  EXPECT_THROW(FilterHeaderFile::open(path, other, genesis), std::runtime_error);
}

TEST_F(FilterHeaderFileTest, KeepsAReorganisation) {
  mine(0, 500);
  open()->replace_above(-1, made_up_range(0, 500));
  mine(200, 400, 1);
  {
    const auto file = open();
    file->replace_above(file->tip_height(), {});
  }
  {
    const auto file = open();
    ASSERT_LE(file->tip_height(), 200) << "what belongs to the branch that was left is dropped";
    file->replace_above(file->tip_height(), made_up_range(file->tip_height() + 1, 200));
    file->replace_above(200, made_up_range(201, 600, 1));
  }
  const auto file = open();
  ASSERT_EQ(file->tip_height(), 600);
  for (Height h = 0; h <= 600; ++h) ASSERT_EQ(file->at(h), made_up(h, h > 200 ? 1 : 0)) << h;
}

TEST_F(FilterHeaderFileTest, DropsWhatIsAboveTheHeaders) {
  mine(0, 3000);
  open()->replace_above(-1, made_up_range(0, 3000));
  headers.replace_above(2990, {}, headers.hash_at(2990), 0);
  EXPECT_EQ(open()->tip_height(), 3000 - 36);
  headers.replace_above(10, {}, headers.hash_at(10), 0);
  EXPECT_EQ(open()->tip_height(), -1) << "too far above to say where it belongs";
}

TEST_F(FilterHeaderFileTest, ASecondOpenerReadsAndKeepsItsOwnInMemory) {
  mine(0, 1000);
  const auto writer = open();
  writer->replace_above(-1, made_up_range(0, 900));
  const auto reader = open();
  EXPECT_FALSE(reader->is_writer());
  ASSERT_EQ(reader->tip_height(), 900);
  reader->replace_above(900, made_up_range(901, 950));
  reader->replace_above(940, made_up_range(941, 945, 2));
  EXPECT_EQ(reader->tip_height(), 945);
  for (Height h = 0; h <= 940; ++h) ASSERT_EQ(reader->at(h), made_up(h)) << h;
  EXPECT_EQ(reader->at(945), made_up(945, 2));
  EXPECT_EQ(writer->tip_height(), 900);
  // What the writer does near the tip does not change what the reader holds.
  writer->replace_above(700, made_up_range(701, 1000, 3));
  EXPECT_EQ(reader->at(800), made_up(800));
}

TEST_F(FilterHeaderFileTest, S1_ADownloadThatWasNotCommittedIsAPrefix) {
  mine(0, 4000);
  std::string while_running;
  {
    const auto file = open();
    file->replace_above(-1, made_up_range(0, 1999));
    file->replace_above(1999, made_up_range(2000, 3999));
    while_running = contents();
  }
  EXPECT_EQ(open()->tip_height(), 3999);
  set_contents(while_running);
  EXPECT_EQ(open()->tip_height(), -1);
  expect_prefix_that_grows(3999);
}

TEST_F(FilterHeaderFileTest, S1_S2_AReorganisationThatWasCutAnywhereLeavesNoMixture) {
  mine(0, 300);
  open()->replace_above(-1, made_up_range(0, 300));
  const std::string before = contents();
  const auto old_headers = headers.at(300);
  open()->replace_above(100, {});  // what the reorganisation commits first
  const std::string forked = contents();
  mine(100, 220, 1);
  open()->replace_above(100, made_up_range(101, 320, 1));
  const std::string after = contents();
  ASSERT_NE(old_headers, headers.at(300));
  for (const auto& slots : {before, forked, after}) {
    for (std::size_t cut = kHead; cut <= after.size(); cut += 61) {
      std::string mixed = slots.substr(0, kHead) + after.substr(kHead, cut - kHead);
      if (mixed.size() < before.size()) mixed += before.substr(mixed.size());
      set_contents(mixed);
      const auto file = open();
      for (Height h = 0; h <= file->tip_height(); ++h) ASSERT_EQ(file->at(h), made_up(h, h > 100 ? 1 : 0)) << cut;
    }
  }
}

TEST_F(FilterHeaderFileTest, S6_EveryTruncationIsFound) {
  mine(0, 280);
  open()->replace_above(-1, made_up_range(0, 270));
  open()->replace_above(270, made_up_range(271, 280));
  const std::string good = contents();
  for (std::size_t size = 0; size < good.size(); size += size + 400 < good.size() ? 61U : 1U) {
    set_contents(good.substr(0, size));
    SCOPED_TRACE(size);
    const auto file = open();
    ASSERT_LE(file->tip_height(), 270) << "the last ones are not there";
    for (Height h = 0; h <= file->tip_height(); ++h) ASSERT_EQ(file->at(h), made_up(h));
  }
}

TEST_F(FilterHeaderFileTest, S6_EveryFlippedByteIsFound) {
  mine(0, 400);
  open()->replace_above(-1, made_up_range(0, 390));
  open()->replace_above(390, made_up_range(391, 400));
  const std::string good = contents();
  for (std::size_t at = 0; at < good.size(); at += at < 1400 ? 3 : 41) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    set_contents(bad);
    SCOPED_TRACE(at);
    expect_prefix_that_grows(400);
    if (HasFatalFailure()) return;
  }
}

TEST_F(FilterHeaderFileTest, S6_DamageBelowIsSaidWhenItIsReadAndStartsAnew) {
  mine(0, 1000);
  open()->replace_above(-1, made_up_range(0, 1000));
  std::string bad = contents();
  bad[kHead + 4096 + 40] ^= 1;  // in the second page
  set_contents(bad);
  {
    const auto file = open();
    EXPECT_EQ(file->tip_height(), 1000);
    EXPECT_EQ(file->at(kPage - 1), made_up(kPage - 1));
    EXPECT_THROW(static_cast<void>(file->at(kPage)), std::runtime_error);
    file->replace_above(1000, {});
  }
  const auto file = open();
  EXPECT_TRUE(file->was_mended());
  EXPECT_EQ(file->tip_height(), -1);
}

}  // namespace
}  // namespace spv::store
