#include "tests/support/fake_node.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/support/fake_peer.h"
#include "tests/support/faults.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::test {
namespace {

using p2p::InventoryType;

const util::Bytes kKeyHash(20, 0x11);
const util::Bytes kOtherHash(20, 0x22);

bip37::BloomFilter filter_of(util::ByteView element, bip37::UpdateFlags flags = bip37::UpdateFlags::All) {
  bip37::BloomFilter filter(bip37::design_filter(10, 1e-9), 5, flags);
  filter.insert(element);
  return filter;
}

template <typename Hash>
p2p::GetData get(InventoryType type, std::initializer_list<Hash> hashes) {
  p2p::GetData request;
  for (const auto& hash : hashes) request.items.push_back({type, util::retag<util::Hash256>(hash)});
  return request;
}

p2p::GetData filtered(const ChainBuilder& chain, chain::Height first, chain::Height last) {
  p2p::GetData request;
  for (auto h = first; h <= last; ++h) {
    request.items.push_back({InventoryType::FilteredBlock, util::retag<util::Hash256>(chain.block(h).hash)});
  }
  return request;
}

std::string commands(const Reply& reply) {
  std::string text;
  for (const auto& message : reply.messages) text += (text.empty() ? "" : " ") + std::string(p2p::command_of(message));
  return text;
}

struct Connected {
  explicit Connected(ChainBuilder chain = ChainBuilder().blocks(3), std::uint64_t services = FakeNode::kDefaultServices)
      : node(std::move(chain), services), peer(node) {
    peer.shake_hands();
  }
  FakeNode node;
  FakePeer peer;
};

TEST(FakePeer, ShakesHands) {
  FakeNode node(ChainBuilder().blocks(3));
  FakePeer peer(node);
  EXPECT_EQ(commands(peer.handle(p2p::Ping{1})), "");
  const auto first = peer.handle(p2p::Version{});
  EXPECT_EQ(commands(first), "version wtxidrelay sendaddrv2 verack");
  const auto& version = std::get<p2p::Version>(first.messages[0]);
  EXPECT_EQ(version.services, FakeNode::kDefaultServices);
  EXPECT_EQ(version.start_height, 3);
  EXPECT_EQ(commands(peer.handle(p2p::Ping{1})), "");
  peer.handle(p2p::Verack{});
  EXPECT_TRUE(peer.ready());
  EXPECT_EQ(peer.handle(p2p::Ping{9}).messages, (Messages{p2p::Pong{9}}));
}

TEST(FakePeer, ServesHeadersFromTheForkTwoThousandAtATime) {
  Connected c(ChainBuilder().blocks(2'100));
  const auto& chain = c.node.chain();
  auto reply = c.peer.handle(p2p::GetHeaders{.locator = {chain.block(0).hash}, .stop = {}});
  EXPECT_EQ(std::get<p2p::Headers>(reply.messages.at(0)).headers, chain.headers(1, 2'000));
  reply = c.peer.handle(p2p::GetHeaders{.locator = {chain.block(2'000).hash, chain.block(0).hash}, .stop = {}});
  EXPECT_EQ(std::get<p2p::Headers>(reply.messages.at(0)).headers, chain.headers(2'001));
  reply = c.peer.handle(p2p::GetHeaders{.locator = {chain.tip().hash}, .stop = {}});
  EXPECT_EQ(reply.messages, (Messages{p2p::Headers{}}));
}

TEST(FakePeer, StopsHeadersWhereAskedAndStartsAtGenesisForAStranger) {
  Connected c;
  const auto& chain = c.node.chain();
  const auto stranger = ChainBuilder().salt(5).blocks(3);
  const auto reply = c.peer.handle(p2p::GetHeaders{.locator = {stranger.tip().hash}, .stop = chain.block(2).hash});
  EXPECT_EQ(std::get<p2p::Headers>(reply.messages.at(0)).headers, chain.headers(1, 2));
}

TEST(FakePeer, HangsUpOnAnOversizedLocator) {
  Connected c;
  EXPECT_TRUE(c.peer.handle(p2p::GetHeaders{.locator = std::vector<chain::BlockHash>(102), .stop = {}}).closed);
  EXPECT_EQ(commands(c.peer.handle(p2p::Ping{1})), "");
}

TEST(FakePeer, ServesAFilteredBlockWithItsMatchesInBlockOrderAndWithoutWitness) {
  const auto first = TxBuilder().pays(p2wpkh(kKeyHash), 5).build();
  const auto other = TxBuilder().pays(p2wpkh(kOtherHash), 5).build();
  // A spend in the same block is found by the outpoint that the node inserted itself.
  const auto spend = TxBuilder().spends(first).witness(kOtherHash).build();
  Connected c(ChainBuilder().block({first, other, spend}));
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  const auto reply = c.peer.handle(filtered(c.node.chain(), 1, 1));
  ASSERT_EQ(commands(reply), "merkleblock tx tx");
  const auto& block = std::get<p2p::MerkleBlock>(reply.messages[0]);
  EXPECT_EQ(block.header, c.node.chain().header(1));
  const auto matches = bip37::extract_matches(block.tree);
  ASSERT_TRUE(matches);
  EXPECT_EQ(matches->root, block.header.merkle_root);
  EXPECT_EQ(matches->matches, (std::vector<bip37::Match>{{1, first.txid()}, {3, spend.txid()}}));
  EXPECT_EQ(std::get<p2p::Tx>(reply.messages[1]).transaction, first);
  const auto& sent = std::get<p2p::Tx>(reply.messages[2]).transaction;
  EXPECT_FALSE(sent.has_witness());
  EXPECT_EQ(sent.txid(), spend.txid());
}

TEST(FakePeer, SilenceMeansUnknownBlockOrNoFilterAndThePongTells) {
  Connected c;
  EXPECT_EQ(commands(c.peer.handle(filtered(c.node.chain(), 1, 2))), "");
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  EXPECT_EQ(commands(c.peer.handle(filtered(ChainBuilder().salt(5).blocks(1), 1, 1))), "");
  EXPECT_EQ(commands(c.peer.handle(filtered(c.node.chain(), 1, 2))), "merkleblock merkleblock");
  EXPECT_EQ(commands(c.peer.handle(p2p::Ping{1})), "pong");
  c.peer.handle(p2p::FilterClear{});
  EXPECT_EQ(commands(c.peer.handle(filtered(c.node.chain(), 1, 2))), "");
  EXPECT_EQ(c.node.seen.filtered_blocks_asked(), 6);
  EXPECT_EQ(c.node.seen.filtered_blocks.at(2), 3);
  EXPECT_EQ(c.node.seen.unknown_blocks, 1U);
}

TEST(FakePeer, AFilterLoadWipesWhatTheNodeInserted) {
  const auto payment = TxBuilder().pays(p2wpkh(kKeyHash), 5).build();
  Connected c(ChainBuilder().block({payment}).block({TxBuilder().spends(payment).build()}));
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  EXPECT_EQ(commands(c.peer.handle(filtered(c.node.chain(), 1, 2))), "merkleblock tx merkleblock tx");
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  EXPECT_EQ(commands(c.peer.handle(filtered(c.node.chain(), 2, 2))), "merkleblock");
  EXPECT_EQ(c.node.seen.filter_loads.size(), 2U);
}

TEST(FakePeer, HangsUpOnFilterMessagesWithoutNodeBloom) {
  const auto answer = [](const p2p::Message& message) {
    Connected c(ChainBuilder().blocks(3), p2p::services::kNetwork);
    return c.peer.handle(message);
  };
  EXPECT_TRUE(answer(p2p::FilterLoad{filter_of(kKeyHash)}).closed);
  EXPECT_TRUE(answer(p2p::FilterClear{}).closed);
  EXPECT_TRUE(answer(p2p::Mempool{}).closed);
  EXPECT_TRUE(answer(filtered(ChainBuilder().blocks(3), 1, 1)).closed);
  EXPECT_FALSE(answer(p2p::Ping{1}).closed);
}

TEST(FakePeer, TellsTheMempoolAtTheNextTrickleAsTheFilterSays) {
  Connected c;
  const auto mine = TxBuilder().pays(p2wpkh(kKeyHash), 5).build();
  c.node.add_to_mempool(mine);
  c.node.add_to_mempool(TxBuilder().pays(p2wpkh(kOtherHash), 5).build());
  EXPECT_EQ(commands(c.peer.trickle()), "");  // we said relay=false
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  const p2p::Inv expected{{{InventoryType::Tx, util::retag<util::Hash256>(mine.txid())}}};
  EXPECT_EQ(c.peer.trickle().messages, (Messages{expected}));
  EXPECT_EQ(commands(c.peer.trickle()), "");
  EXPECT_EQ(commands(c.peer.handle(p2p::Mempool{})), "");
  EXPECT_EQ(c.peer.trickle().messages, (Messages{expected}));
}

TEST(FakePeer, AFeeFilterSilencesLooseTransactionsBeforeTheyTouchTheFilter) {
  Connected c;
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  c.peer.handle(p2p::FeeFilter{1'000'000});
  c.node.add_to_mempool(TxBuilder().pays(p2wpkh(kKeyHash), 5).build());
  EXPECT_EQ(commands(c.peer.trickle()), "");
  EXPECT_EQ(c.peer.filter(), filter_of(kKeyHash));
  c.peer.handle(p2p::FeeFilter{0});
  EXPECT_EQ(commands(c.peer.trickle()), "") << "what was passed over is not told later, as on a real node";
  c.node.add_to_mempool(TxBuilder(2).pays(p2wpkh(kKeyHash), 5).build());
  EXPECT_EQ(commands(c.peer.trickle()), "inv");
  EXPECT_NE(c.peer.filter(), filter_of(kKeyHash));
}

TEST(FakePeer, ServesTransactionsAsAskedAndSaysWhatIsNotFound) {
  Connected c;
  const auto tx = TxBuilder().spends(TxBuilder().build()).witness(kKeyHash).build();
  c.node.add_to_mempool(tx);
  auto reply = c.peer.handle(get(InventoryType::Tx, {tx.txid()}));
  EXPECT_FALSE(std::get<p2p::Tx>(reply.messages.at(0)).transaction.has_witness());
  reply = c.peer.handle(get(InventoryType::WitnessTx, {TxBuilder().build().txid(), tx.txid()}));
  EXPECT_EQ(commands(reply), "tx notfound");
  EXPECT_EQ(std::get<p2p::Tx>(reply.messages[0]).transaction, tx);
  EXPECT_EQ(c.node.seen.getdata_sizes, (std::vector<std::size_t>{1, 2}));
}

TEST(FakePeer, AsksForWhatTheClientAnnouncesAndTellsItsOtherPeers) {
  Connected c;
  FakePeer other(c.node);
  other.shake_hands();
  other.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  const auto tx = TxBuilder().pays(p2wpkh(kKeyHash), 5).build();
  const p2p::Inv inv{{{InventoryType::Tx, util::retag<util::Hash256>(tx.txid())}}};
  EXPECT_EQ(c.peer.handle(inv).messages, (Messages{get(InventoryType::Tx, {tx.txid()})}));
  c.peer.handle(p2p::Tx{tx});
  EXPECT_NE(c.node.in_mempool(tx.txid()), nullptr);
  EXPECT_EQ(commands(c.peer.trickle()), "");
  EXPECT_EQ(other.trickle().messages, (Messages{inv}));
  c.node.mine_mempool();
  EXPECT_TRUE(c.node.mempool().empty());
  EXPECT_EQ(c.node.chain().tip_block().txids.at(1), tx.txid());
}

TEST(FakePeer, AnnouncesBlocksByInvOrByHeaders) {
  Connected c;
  c.node.mine();
  const auto by_inv = c.peer.announce_tip();
  EXPECT_EQ(commands(by_inv), "inv");
  EXPECT_EQ(std::get<p2p::Inv>(by_inv.messages[0]).items[0].hash,
            util::retag<util::Hash256>(c.node.chain().tip().hash));
  EXPECT_EQ(commands(c.peer.announce_tip()), "");
  c.peer.handle(p2p::SendHeaders{});
  c.node.mine();
  EXPECT_EQ(commands(c.peer.announce_tip()), "inv");  // the node does not know that we have the parent
  c.peer.handle(p2p::GetHeaders{.locator = {c.node.chain().block(0).hash}, .stop = {}});
  c.node.mine();
  EXPECT_EQ(c.peer.announce_tip().messages, (Messages{p2p::Headers{c.node.chain().headers(6)}}));
}

TEST(FakePeer, AnnouncesAReorganisationFromTheForkAndStillServesTheOldBranch) {
  Connected c(ChainBuilder().blocks(10));
  const auto old_chain = c.node.chain();
  c.peer.handle(p2p::SendHeaders{});
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  c.peer.handle(p2p::GetHeaders{.locator = {old_chain.block(0).hash}, .stop = {}});
  c.node.set_chain(old_chain.at_height(8).blocks(4));
  EXPECT_EQ(c.peer.announce_tip().messages, (Messages{p2p::Headers{c.node.chain().headers(9)}}));
  EXPECT_EQ(commands(c.peer.handle(filtered(old_chain, 9, 9))), "merkleblock");
  c.node.forgets_stale_blocks = true;
  EXPECT_EQ(commands(c.peer.handle(filtered(old_chain, 8, 9))), "merkleblock");
  c.node.set_chain(old_chain.at_height(1).salt(3).blocks(20));
  EXPECT_EQ(commands(c.peer.announce_tip()), "inv");  // more than eight
}

TEST(FakeNode, OmitsATransactionWithAValidProof) {
  const auto payment = TxBuilder().pays(p2wpkh(kKeyHash), 5).build();
  Connected c(ChainBuilder().block({payment}));
  c.node.omit_tx(payment.txid());
  c.peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  const auto reply = c.peer.handle(filtered(c.node.chain(), 1, 1));
  ASSERT_EQ(commands(reply), "merkleblock");
  const auto matches = bip37::extract_matches(std::get<p2p::MerkleBlock>(reply.messages[0]).tree);
  EXPECT_EQ(matches->root, c.node.chain().header(1).merkle_root);
  EXPECT_TRUE(matches->matches.empty());
  EXPECT_EQ(c.peer.filter(), filter_of(kKeyHash));
}

struct FaultyNode : Connected, testing::Test {
  FaultyNode() : Connected(ChainBuilder().block({pay(), pay()}).block({pay()}).blocks(2)) {
    peer.handle(p2p::FilterLoad{filter_of(kKeyHash)});
  }
  static chain::Transaction pay() { return TxBuilder().pays(p2wpkh(kKeyHash), 5).build(); }
  Reply scan(Tamper fault) {
    node.add_fault(std::move(fault));
    return peer.handle(filtered(node.chain(), 1, 3));
  }
};

TEST_F(FaultyNode, DropsOneTransaction) {
  EXPECT_EQ(commands(scan(faults::drop_tx(node.chain().block(1).txids[1]))),
            "merkleblock tx merkleblock tx merkleblock");
}

TEST_F(FaultyNode, DropsTheNthTransaction) {
  EXPECT_EQ(commands(scan(faults::drop_nth_tx(2))), "merkleblock tx tx merkleblock merkleblock");
}

TEST_F(FaultyNode, Stalls) {
  EXPECT_EQ(commands(scan(faults::stall_after(1))), "merkleblock tx tx");
  EXPECT_EQ(commands(peer.handle(p2p::Ping{1})), "");
}

TEST_F(FaultyNode, HangsUp) {
  const auto reply = scan(faults::hang_up_at(1));
  EXPECT_EQ(commands(reply), "merkleblock tx tx");
  EXPECT_TRUE(reply.closed);
}

TEST_F(FaultyNode, SendsAHeaderOfNoChain) {
  const auto reply = scan(faults::wrong_header());
  EXPECT_EQ(node.chain().find(std::get<p2p::MerkleBlock>(reply.messages[0]).header.hash()), std::nullopt);
}

TEST_F(FaultyNode, ForgesProofs) {
  const auto reply = scan(faults::forged_proof());
  const auto matches = bip37::extract_matches(std::get<p2p::MerkleBlock>(reply.messages[0]).tree);
  EXPECT_TRUE(!matches || !(matches->root == node.chain().header(1).merkle_root));
}

TEST_F(FaultyNode, SlipsInRepeatsAndReorders) {
  EXPECT_EQ(commands(scan(faults::slip_in(pay()))), "merkleblock tx tx tx merkleblock tx tx merkleblock tx");
  node.clear_faults();
  EXPECT_EQ(commands(scan(faults::transactions_first())), "tx tx tx merkleblock merkleblock merkleblock");
  node.clear_faults();
  EXPECT_EQ(scan(faults::repeat()).messages.size(), 12U);
}

}  // namespace
}  // namespace spv::test
