#include "sync/engine/failure_text.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

class FailureTextTest : public testing::Test {
 protected:
  Failure after(DisconnectReason reason) {
    PeerPool pool({{"a", 1}}, false);
    Outbox out;
    pool.connect_due({}, rng_, out);
    pool.on_lost(1, std::string(to_string(reason)), reason, {}, rng_);
    return describe_failure(pool, chain_);
  }
  static bool says(const Failure& failure, const char* what) { return failure.message.find(what) != std::string::npos; }

  util::Rng rng_{3};
  const chain::NetworkParams& params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
};

TEST_F(FailureTextTest, EachReasonComesWithWhatToDo) {
  const auto bloom = after(DisconnectReason::NoBloomFilters);
  EXPECT_EQ(bloom.code, Failure::Code::NoBloomPeers);
  EXPECT_TRUE(says(bloom, "a:1: ")) << bloom.message;
  EXPECT_TRUE(says(bloom, "peerbloomfilters=1")) << bloom.message;
  const auto behind = after(DisconnectReason::TooLittleWork);
  EXPECT_EQ(behind.code, Failure::Code::NoServingPeers);
  EXPECT_TRUE(says(behind, "height 0")) << behind.message;
  const auto liar = after(DisconnectReason::BadProof);
  EXPECT_EQ(liar.code, Failure::Code::NoPeers);
  EXPECT_TRUE(says(liar, "regtest")) << liar.message;
}

TEST_F(FailureTextTest, WhereAllPeersAreBannedItSaysSoAndHowToLiftABan) {
  p2p::AddressBook book;
  for (std::uint8_t i = 1; i <= 2; ++i) {
    p2p::NetAddress address;
    address.bytes = {11, i, 1, 1};
    address.port = 8333;
    book.ban(address, "banned by you", 1'000, 0);
  }
  PeerPool pool({}, false, BookUse{&book, 4, {}, {}});
  Outbox out;
  pool.connect_due({}, rng_, out);
  PeersFound none;
  none.last = true;
  pool.on_found(none, {}, rng_);
  pool.connect_due({}, rng_, out);
  ASSERT_TRUE(pool.exhausted());
  const auto failure = describe_failure(pool, chain_);
  EXPECT_EQ(failure.code, Failure::Code::NoPeers);
  EXPECT_TRUE(says(failure, "all 2 known peers are banned")) << failure.message;
  EXPECT_TRUE(says(failure, "spv peers unban")) << failure.message;
}

TEST_F(FailureTextTest, WithABookItIsTheConnectionThatMayBeWrong) {
  p2p::AddressBook book;
  const PeerPool pool({}, false, BookUse{&book, 4, {}, {}});
  EXPECT_TRUE(says(describe_failure(pool, chain_), "--connect"));
}

}  // namespace
}  // namespace spv::sync
