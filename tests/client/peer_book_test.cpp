// What is learned of peers survives the program, and is written no more often than it must be.
#include "client/peer_book.h"

#include <fstream>

#include <gtest/gtest.h>

#include "p2p/message.h"
#include "tests/support/temp_dir.h"

namespace spv::client {
namespace {

class PeerBookTest : public testing::Test {
 protected:
  PeerBook open(const util::LogSink& log = {}) { return {path_, params_, log, start_}; }
  void learn(PeerBook& book, std::uint8_t number) {
    p2p::NetAddress address;
    address.bytes = {11, number, 1, 1};
    address.port = 8333;
    ASSERT_TRUE(book.book().add(address, p2p::services::kBloom | p2p::services::kNetwork, p2p::Origin::Seed, "a seed",
                                1'700'000'000, rng_));
  }
  /// How many addresses the file has.
  [[nodiscard]] std::size_t kept() const {
    std::ifstream in(path_, std::ios::binary);
    const util::Bytes bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto parsed = p2p::AddressBook::parse(bytes, params_.magic);
    return parsed ? parsed->size() : 0;
  }

  test::TempDir dir_;
  std::filesystem::path path_ = dir_.file("peers.dat");
  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
  util::TimePoint start_ = util::TimePoint{} + std::chrono::hours(1);
  util::Rng rng_{1};
  std::vector<std::pair<util::LogLevel, std::string>> log_;
  util::LogSink sink_ = [this](util::LogLevel level, std::string_view text) { log_.emplace_back(level, text); };
};

TEST_F(PeerBookTest, IsSavedOnceAnIntervalHasPassedAndThenNotBeforeTheNext) {
  auto book = open();
  learn(book, 1);
  const auto moment = util::Duration(1);
  book.save_if_due(start_ + PeerBook::kInterval - moment);
  EXPECT_EQ(kept(), 0U) << "the program has only begun";
  book.save_if_due(start_ + PeerBook::kInterval);
  EXPECT_EQ(kept(), 1U);
  learn(book, 2);
  book.save_if_due(start_ + 2 * PeerBook::kInterval - moment);
  EXPECT_EQ(kept(), 1U);
  book.save_if_due(start_ + 2 * PeerBook::kInterval);
  EXPECT_EQ(kept(), 2U);
}

TEST_F(PeerBookTest, IsSavedAtTheEndWithoutDelayAndFoundByTheNextRun) {
  {
    auto book = open();
    learn(book, 1);
    book.save();
  }
  EXPECT_EQ(open(sink_).book().size(), 1U);
  EXPECT_TRUE(log_.empty());
}

TEST_F(PeerBookTest, OneThatIsDamagedIsToldAndBegunAnew) {
  std::ofstream(path_) << "no book";
  auto book = open(sink_);
  EXPECT_EQ(book.book().size(), 0U);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_EQ(log_[0].first, util::LogLevel::Warn);
  EXPECT_NE(log_[0].second.find(path_.string()), std::string::npos);
  learn(book, 1);
  book.save();
  EXPECT_EQ(kept(), 1U);
}

TEST_F(PeerBookTest, OneThatAnotherWritesIsReadAndLeftAlone) {
  auto first = open();
  learn(first, 1);
  first.save();
  auto second = open(sink_);
  EXPECT_EQ(second.book().size(), 1U);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_EQ(log_[0].first, util::LogLevel::Info);
  learn(second, 2);
  second.save();
  second.save_if_due(start_ + PeerBook::kInterval);
  EXPECT_EQ(kept(), 1U);
}

TEST_F(PeerBookTest, TroubleIsNoReasonToFailWhereNobodyListens) {
  std::ofstream(path_) << "no book";
  EXPECT_EQ(open().book().size(), 0U);
}

TEST_F(PeerBookTest, AFolderThatIsGoneIsToldToWhoeverSaves) {
  auto book = open();
  learn(book, 1);
  std::filesystem::remove_all(dir_.path());
  EXPECT_THROW(book.save(), store::StoreError);
  EXPECT_THROW(book.save_if_due(start_ + PeerBook::kInterval), store::StoreError);
}

}  // namespace
}  // namespace spv::client
