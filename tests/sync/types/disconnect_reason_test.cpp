#include "sync/types/disconnect_reason.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(DisconnectReason, ANodeOfAnotherChainOrNetworkIsNotBanned) {
  EXPECT_EQ(reason_of(p2p::DecodeError::ForeignHeaders), DisconnectReason::OtherChain);
  EXPECT_EQ(reason_of(p2p::DecodeError::OtherNetwork), DisconnectReason::OtherNetwork);
  EXPECT_EQ(reason_of(p2p::DecodeError::Malformed), DisconnectReason::BadMessage);
  for (const auto reason :
       {DisconnectReason::OtherChain, DisconnectReason::OtherNetwork, DisconnectReason::ClaimsMore}) {
    EXPECT_FALSE(is_misbehaviour(reason)) << to_string(reason);
  }
  EXPECT_TRUE(is_misbehaviour(DisconnectReason::BadMessage));
  EXPECT_TRUE(is_misbehaviour(DisconnectReason::Omission));
  EXPECT_TRUE(is_unfit(DisconnectReason::OtherNetwork)) << "it is not dialled three times";
}

}  // namespace
}  // namespace spv::sync
