// What the log says of messages, and what it never says.
#include "sync/types/describe.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

chain::Txid logged_txid() {
  chain::Txid txid;
  txid.bytes.fill(0xAB);
  return txid;
}

std::string log_text_of(const std::optional<LogNote>& note) { return note ? note->text : std::string(); }

TEST(Describe, RequestsAndAnswersAreCounted) {
  using p2p::InventoryType;
  EXPECT_EQ(log_text_of(
                describe_sent(p2p::GetData{{{InventoryType::FilteredBlock, {}}, {InventoryType::FilteredBlock, {}}}})),
            "getdata for 2 filtered blocks");
  EXPECT_EQ(log_text_of(describe_sent(p2p::Mempool{})), "mempool");
  EXPECT_EQ(log_text_of(describe_received(p2p::Headers{std::vector<chain::BlockHeader>(2'000)})), "2000 headers");
  p2p::Version version;
  version.user_agent = "/node\n/";
  version.start_height = 130;
  version.services = 5;
  EXPECT_EQ(log_text_of(describe_received(version)), "version: /node\\x0a/, block 130, services 5");
}

TEST(Describe, WhatTellsWhichTransactionsAreOursIsLeftOut) {
  const auto hash = util::retag<util::Hash256>(logged_txid());
  const p2p::Inv inv{{{p2p::InventoryType::Tx, hash}}};
  EXPECT_EQ(log_text_of(describe_received(inv)), "inv of 1 transaction");
  EXPECT_FALSE(describe_received(p2p::Tx{}));
  EXPECT_FALSE(describe_received(p2p::MerkleBlock{})) << "one a block would be too many lines";
  EXPECT_FALSE(describe_event(TransactionSeen{logged_txid(), 5, std::nullopt}));
  EXPECT_FALSE(describe_event(TransactionConflicted{logged_txid(), std::nullopt}));
}

TEST(Describe, DecisionsAreSaid) {
  EXPECT_EQ(log_text_of(describe_event(PeerStateChanged{{"a", 1}, "connected"})), "peer a:1: handshake complete");
  EXPECT_EQ(log_text_of(describe_event(Finished{})), "everything is scanned");
  EXPECT_EQ(log_text_of(describe_event(TipChanged{{7, {}}})), "scanned up to block 7");
}

}  // namespace
}  // namespace spv::sync
