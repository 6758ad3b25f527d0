// A table of liars, each by name. One comes first, an honest node can be reached a little later: the wallet ends as the
// chain says, what the liar said is not believed, and it is left for the reason that the table gives.
#include <algorithm>
#include <functional>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using Reason = sync::DisconnectReason;
using faults::alter;
using faults::append;
using faults::withhold;
using p2p::Headers;
using p2p::MerkleBlock;

/// `left_for`: why the connection ends; nothing: it only wastes its own words. `outrun`: only a deadline would end it,
/// and the honest node brings the sync to its end before.
struct Liar {
  const char* name;
  Tamper fault;
  std::optional<Reason> left_for;
  bool outrun = false;
};
void PrintTo(const Liar& liar, std::ostream* out) { *out << liar.name; }

constexpr std::uint64_t kMany = 5'000;

Tamper on_headers(std::function<void(std::vector<chain::BlockHeader>&)> change) {
  return alter<Headers>([change = std::move(change)](Headers& message) {
    if (message.headers.size() > 2) change(message.headers);
  });
}

Tamper on_proofs(std::function<void(bip37::PartialMerkleTree&)> change) {
  return alter<MerkleBlock>([change = std::move(change)](MerkleBlock& block) { change(block.tree); });
}

/// A proof of a header that it has nothing to do with.
MerkleBlock unrelated_block(const MerkleBlock& like) {
  MerkleBlock other = like;
  other.header.time += 7;
  mine(other.header);
  return other;
}

util::Hash256 hash_of(std::uint64_t number) {
  util::Hash256 hash;
  for (std::size_t i = 0; i < 8; ++i) hash.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return hash;
}

Messages announcements(p2p::InventoryType type, std::uint64_t count) {
  p2p::Inv inv;
  for (std::uint64_t i = 0; i < count; ++i) inv.items.push_back({type, hash_of(i)});
  return {std::move(inv)};
}

template <typename M>
Messages many(const M& message, std::uint64_t count) {
  Messages out;
  for (std::uint64_t i = 0; i < count; ++i) out.emplace_back(message);
  return out;
}

/// Once, before the first filtered block: in the middle of a scan.
Tamper once(std::function<Messages()> what) {
  return [what = std::move(what), done = false](Reply& reply) mutable {
    const auto is_block = [](const auto& message) { return std::holds_alternative<MerkleBlock>(message); };
    if (done || std::none_of(reply.messages.begin(), reply.messages.end(), is_block)) return;
    done = true;
    auto flood = what();
    reply.messages.insert(reply.messages.begin(), flood.begin(), flood.end());
  };
}

std::vector<Liar> proof_liars() {
  return {
      {"ForgesTheFirstHash", on_proofs([](auto& tree) { tree.hashes.front().bytes[31] ^= 1U; }), Reason::BadProof},
      {"ForgesTheLastHash", faults::forged_proof(), Reason::BadProof},
      {"AddsAHash", on_proofs([](auto& tree) { tree.hashes.push_back(hash_of(1)); }), Reason::BadProof},
      {"AddsAHashInFront", on_proofs([](auto& tree) { tree.hashes.insert(tree.hashes.begin(), hash_of(1)); }),
       Reason::BadProof},
      {"RepeatsAHash", on_proofs([](auto& tree) { tree.hashes.push_back(tree.hashes.back()); }), Reason::BadProof},
      {"LeavesAHashOut", on_proofs([](auto& tree) { tree.hashes.pop_back(); }), Reason::BadProof},
      {"LeavesAllHashesOut", on_proofs([](auto& tree) { tree.hashes.clear(); }), Reason::BadProof},
      {"LeavesTheFlagsOut", on_proofs([](auto& tree) { tree.flags.clear(); }), Reason::BadProof},
      {"AddsAFlagByte", on_proofs([](auto& tree) { tree.flags.push_back(0); }), Reason::BadProof},
      {"SetsAPaddingBit", on_proofs([](auto& tree) { tree.flags.back() |= 0x80U; }), Reason::BadProof},
      {"FlipsTheFirstFlag", on_proofs([](auto& tree) { tree.flags.front() ^= 1U; }), Reason::BadProof},
      {"ClaimsNoTransactions", on_proofs([](auto& tree) { tree.transactions = 0; }), Reason::BadProof},
      {"ClaimsATransactionMore", on_proofs([](auto& tree) { tree.transactions += 1; }), Reason::BadProof},
      {"ClaimsMoreThanABlockHolds", on_proofs([](auto& tree) { tree.transactions = 100'000; }), Reason::BadProof},
      {"ClaimsFourBillionTransactions", on_proofs([](auto& tree) { tree.transactions = 0xFFFF'FFFFU; }),
       Reason::BadProof},
      {"SwapsTheHashes", on_proofs([](auto& tree) {
         if (tree.hashes.size() > 1) std::reverse(tree.hashes.begin(), tree.hashes.end());
       }),
       Reason::BadProof},
      {"ChangesTheMerkleRoot", alter<MerkleBlock>([](MerkleBlock& block) { block.header.merkle_root.bytes[3] ^= 1U; }),
       Reason::BlocksNotServed},
      {"ChangesTheTime", faults::wrong_header(), Reason::BlocksNotServed},
      {"ProvesBlocksThatNobodyAskedFor",
       append<MerkleBlock>([](const MerkleBlock& block) { return Messages{unrelated_block(block)}; }), std::nullopt},
      {"ProvesEveryBlockTwice", faults::repeat(), std::nullopt},
      {"SendsTransactionsFirst", faults::transactions_first(), std::nullopt},
      {"SlipsATransactionIn", faults::slip_in(TxBuilder(77).build()), std::nullopt},
  };
}

std::vector<Liar> silent_liars() {
  return {
      {"LosesATransaction", faults::drop_nth_tx(2), Reason::MissingTransaction},
      {"LosesEveryTransaction", withhold<p2p::Tx>(), Reason::MissingTransaction},
      {"LosesEveryBlock", withhold<MerkleBlock>(), Reason::BlocksNotServed},
      {"LosesABlock",
       [sent = 0](Reply& reply) mutable {
         std::erase_if(reply.messages, [&](const auto& message) {
           return std::holds_alternative<MerkleBlock>(message) && sent++ == 20;
         });
       },
       Reason::BlocksNotServed},
      {"NeverAnswersAPing", faults::no_pong(), Reason::Stalled, true},
      {"AnswersPingsWithAnotherNumber", alter<p2p::Pong>([](p2p::Pong& pong) { pong.nonce ^= 1U; }), Reason::Stalled,
       true},
      {"AnswersThePingBeforeTheBlocks",
       [](Reply& reply) {
         std::stable_partition(reply.messages.begin(), reply.messages.end(),
                               [](const auto& message) { return std::holds_alternative<p2p::Pong>(message); });
       },
       std::nullopt},
      {"StallsAtTheFirstBlock", faults::stall_after(0), Reason::Stalled, true},
      {"StallsMidBlocks", faults::stall_after(35), Reason::Stalled, true},
      {"StallsAtTheHeaders", faults::stall_after_headers(0), Reason::Stalled},
      {"HangsUpAtTheFirstBlock", faults::hang_up_at(0), std::nullopt},
      {"HangsUpMidBlocks", faults::hang_up_at(35), std::nullopt},
      {"NeverEndsItsHandshake", withhold<p2p::Verack>(), Reason::HandshakeTimeout, true},
      {"NeverSaysWhoItIs", withhold<p2p::Version>(), Reason::HandshakeTimeout, true},
      {"SaysNotFoundForEveryBlock",
       [](Reply& reply) {
         for (auto& message : reply.messages) {
           if (const auto* block = std::get_if<MerkleBlock>(&message)) {
             message =
                 p2p::NotFound{{{p2p::InventoryType::FilteredBlock, util::retag<util::Hash256>(block->header.hash())}}};
           }
         }
         std::erase_if(reply.messages, [](const auto& message) { return std::holds_alternative<p2p::Tx>(message); });
       },
       Reason::BlocksNotServed},
  };
}

std::vector<Liar> header_liars() {
  return {
      {"LeavesAHeaderOut", on_headers([](auto& headers) { headers.erase(headers.begin() + 1); }), Reason::BadHeaders},
      {"LeavesTheFirstHeaderOut", on_headers([](auto& headers) { headers.erase(headers.begin()); }),
       Reason::UnconnectedHeaders},
      {"SwapsTwoHeaders", on_headers([](auto& headers) { std::swap(headers[1], headers[2]); }), Reason::BadHeaders},
      {"RepeatsAHeader", on_headers([](auto& headers) { headers.insert(headers.begin() + 1, headers[0]); }),
       Reason::BadHeaders},
      {"HasNoProofOfWork", on_headers([](auto& headers) {
         do {
           ++headers.back().nonce;
         } while (headers.back().hash().bytes[31] < 0x80);
       }),
       Reason::BadHeaders},
      {"HasAnotherDifficulty", on_headers([](auto& headers) { headers.back().bits = 0x207ffffe; }), Reason::BadHeaders},
      {"HasANegativeTarget", on_headers([](auto& headers) { headers.back().bits = 0x20ffffff; }), Reason::BadHeaders},
      {"HasNoTarget", on_headers([](auto& headers) { headers.back().bits = 0; }), Reason::BadHeaders},
      {"GoesBackInTime", on_headers([](auto& headers) {
         headers.back().time = 1;
         mine(headers.back());
       }),
       Reason::BadHeaders},
      {"ComesFromTheFuture", on_headers([](auto& headers) {
         headers.back().time = 0xFFFF'FFF0U;
         mine(headers.back());
       }),
       std::nullopt},
      {"HasAnOldVersion", on_headers([](auto& headers) {
         headers.back().version = 1;
         mine(headers.back());
       }),
       Reason::BadHeaders},
      {"RepeatsItsHeaders", append<Headers>([](const Headers& headers) { return many(headers, 3); }), std::nullopt},
  };
}

std::vector<Liar> talkative_liars() {
  return {
      {"FloodsTransactions", once([] {
         Messages flood;
         for (std::uint64_t i = 0; i < kMany; ++i) flood.emplace_back(p2p::Tx{TxBuilder(kMany + i).build()});
         return flood;
       }),
       Reason::UnmatchedTransactions},
      {"FloodsAnnouncements", once([] { return announcements(p2p::InventoryType::Tx, 50'000); }), std::nullopt},
      {"AnnouncesBlocksThatAreNot", once([] { return announcements(p2p::InventoryType::Block, 1'000); }), std::nullopt},
      {"FloodsPings", once([] { return many(p2p::Ping{5}, kMany); }), Reason::Flooding},
      {"FloodsPongs", once([] { return many(p2p::Pong{5}, kMany); }), std::nullopt},
      {"AsksForHeadersWithoutEnd", once([] { return many(p2p::GetHeaders{}, kMany); }), Reason::Flooding},
      {"AsksForDataWithoutEnd", once([] { return many(p2p::GetData{}, kMany); }), Reason::Flooding},
      {"ShakesHandsTwice", once([] { return Messages{p2p::Version{}}; }), Reason::BadHandshake},
      {"ConfirmsTwice", once([] { return Messages{p2p::Verack{}}; }), std::nullopt},
      {"LoadsAFilterIntoUs", once([] {
         return Messages{p2p::FilterClear{}, p2p::Mempool{}};
       }),
       std::nullopt},
      {"TellsOfNothing", once([] {
         return Messages{p2p::Inv{}, p2p::NotFound{}, p2p::Addr{}};
       }),
       std::nullopt},
      {"SpeaksInTongues", once([] {
         return many(p2p::Unknown{"nonsense", 0}, 500);
       }),
       std::nullopt},
  };
}

std::vector<Liar> all_liars() {
  std::vector<Liar> all;
  for (const auto& some : {proof_liars(), silent_liars(), header_liars(), talkative_liars()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

class Liars : public SyncScenario, public testing::WithParamInterface<Liar> {
 protected:
  ChainBuilder story() {
    std::vector<chain::Transaction> payments;
    for (std::uint32_t i = 0; i < 4; ++i) payments.push_back(TxBuilder(i).pays(receive(i), 10 + i).build());
    ChainBuilder chain;
    chain.blocks(30).block(payments).blocks(30);
    return chain.block({TxBuilder(9).spends(outpoint(payments[1], 0)).pays(stranger(), 1).build()})
        .pays(receive(9), 1'000)
        .blocks(10);
  }
};

TEST_P(Liars, AreNotBelieved) {
  sim().add_node(story()).fake.add_fault(GetParam().fault);
  sim().add_node(story()).reachable = false;
  sim().after(milliseconds(900), [this] { sim().node(1).reachable = true; });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(balance().confirmed, 10 + 12 + 13 + 1'000);
  EXPECT_EQ(dropped(GetParam().left_for.value_or(Reason::Finished)), GetParam().left_for && !GetParam().outrun);
  for (const auto reason : sim().disconnects()) EXPECT_EQ(GetParam().left_for, reason) << to_string(reason);
}

// Alone it may keep the sync from ending well, but never make it end wrongly.
TEST_P(Liars, AloneEndTheSyncInTruthOrInFailure) {
  sim().add_node(story()).fake.add_fault(GetParam().fault);
  ASSERT_TRUE(sim().run_until_finished());
  if (!sim().finished()->failure) {
    EXPECT_EQ(compare_with_chain(sim().wallet(), sim().committed(), story().at_height(sim().headers().height())), "");
  }
  sim().node(0).fake.clear_faults();
  sim().stop();
  sync();
  EXPECT_EQ(difference(), "") << "what the liar left behind";
}

INSTANTIATE_TEST_SUITE_P(Table, Liars, testing::ValuesIn(all_liars()),
                         [](const auto& liar) { return std::string(liar.param.name); });

}  // namespace
}  // namespace spv::test
