#include "bip37/tx_proof.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/chain_builder.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::bip37 {
namespace {

using test::ChainBuilder;

/// A chain whose block 3 holds these many payments besides its coinbase, and three blocks on top.
ChainBuilder chain_with(std::size_t payments) {
  std::vector<chain::Transaction> txs;
  for (std::size_t i = 0; i < payments; ++i) {
    chain::Transaction tx;
    chain::TxInput input;
    input.previous.txid.bytes[0] = static_cast<std::uint8_t>(i + 1);
    input.previous.txid.bytes[1] = static_cast<std::uint8_t>(i / 255);
    tx.inputs.push_back(input);
    tx.outputs.push_back({.value = 1000, .script_pubkey = util::Bytes(22, static_cast<std::uint8_t>(i))});
    txs.push_back(tx);
  }
  return ChainBuilder().blocks(2).block(txs).blocks(3);
}

/// The proof of the transaction at `index` of block 3, taken out of a tree that marks all of `marked` too.
TxProof proof_for(const ChainBuilder& chain, std::size_t index, std::vector<bool> marked = {}) {
  const auto& block = chain.block(3);
  marked.resize(block.txids.size());
  marked[index] = true;
  TxProof proof;
  proof.network = chain::Network::Regtest;
  proof.height = 3;
  proof.tx = block.txs[index];
  proof.header = block.header;
  proof.tree = *narrow_to(build_partial_tree(block.txids, marked), block.txids[index]);
  proof.following = chain.headers(4);
  return proof;
}

std::string with_new_checksum(std::string text) {
  text.resize(text.rfind("checksum "));
  return text + "checksum " + util::to_hex(util::sha256d(util::as_bytes(text)).view()) + "\n";
}

bool holds(std::string_view text) {
  const auto proof = parse_proof(text);
  return proof && check_membership(*proof) && check_own_work(*proof);
}

TEST(TxProof, ComesBackFromItsTextAndHolds) {
  const auto proof = proof_for(chain_with(6), 4);
  const auto parsed = parse_proof(encode_proof(proof));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, proof);
  EXPECT_TRUE(check_membership(*parsed));
  const auto work = check_own_work(*parsed);
  ASSERT_TRUE(work);
  EXPECT_EQ(*work, chain::Uint256(2 * 4)) << "two hashes a block on regtest";
}

RC_GTEST_PROP(TxProof, NarrowingGivesTheTreeThatProvesOneAlone, ()) {
  const auto chain = chain_with(*rc::gen::inRange<std::size_t>(0, 40));
  const auto& txids = chain.block(3).txids;
  const auto marked = *rc::gen::container<std::vector<bool>>(txids.size(), rc::gen::arbitrary<bool>());
  const auto index = *rc::gen::inRange<std::size_t>(0, txids.size());
  std::vector<bool> alone(txids.size());
  alone[index] = true;
  RC_ASSERT(proof_for(chain, index, marked).tree == build_partial_tree(txids, alone));
}

TEST(TxProof, NarrowingRefusesWhatTheTreeDoesNotMark) {
  const auto chain = chain_with(3);
  const auto& txids = chain.block(3).txids;
  const auto tree = build_partial_tree(txids, {false, true, false, false});
  EXPECT_FALSE(narrow_to(tree, txids[2]));
  auto bad = tree;
  bad.hashes.pop_back();
  EXPECT_FALSE(narrow_to(bad, txids[1]));
}

TEST(TxProof, EveryChangedByteMakesItInvalid) {
  const std::string text = encode_proof(proof_for(chain_with(5), 2));
  ASSERT_TRUE(holds(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char change : {'\x01', '\x20', '\x80'}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ change);
      EXPECT_FALSE(parse_proof(changed)) << "byte " << i;
    }
    EXPECT_FALSE(parse_proof(text.substr(0, i))) << "cut at " << i;
  }
  EXPECT_FALSE(parse_proof(text + "\n"));
  EXPECT_FALSE(parse_proof(" " + text));
}

TEST(TxProof, EveryChangedByteIsFoundEvenWithAMatchingChecksum) {
  const std::string text = encode_proof(proof_for(chain_with(5), 2));
  // Not the claimed height, which a header does not hold, nor the last header: on regtest every other one has its work.
  const std::size_t last_header = text.rfind("\nchecksum ") - 2 * chain::BlockHeader::kSize;
  for (std::size_t i = text.find("transaction "); i < last_header; ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '0' ? '1' : '0';
    if (changed[i] == text[i]) continue;
    EXPECT_FALSE(holds(with_new_checksum(changed))) << "byte " << i;
  }
}

// The last block of a chain has no headers after it, so that line ends with a space of its own.
class ProofText : public testing::TestWithParam<bool> {};

TEST_P(ProofText, LineEndsOfMailProgramsAndEditorsAreUndone) {
  auto proof = proof_for(chain_with(5), 2);
  if (GetParam()) proof.following.clear();
  const std::string text = encode_proof(proof);
  ASSERT_TRUE(parse_proof(text));
  std::string crlf;
  std::string spaces;
  for (const char c : text) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    spaces += c == '\n' ? " \t\n" : std::string(1, c);
  }
  for (const auto& written : {text, crlf, spaces, text + "\n\r\n", text.substr(0, text.size() - 1)}) {
    EXPECT_EQ(plain_proof_text(written), text);
  }
  EXPECT_FALSE(parse_proof(crlf)) << "one text for each proof";
  EXPECT_FALSE(parse_proof(plain_proof_text(text + "more\n")));
  EXPECT_FALSE(parse_proof(plain_proof_text("\n" + text)));
  EXPECT_EQ(plain_proof_text(""), "");
}
INSTANTIATE_TEST_SUITE_P(AtTheTip, ProofText, testing::Bool());

TEST(TxProof, HexInCapitalsIsAnotherText) {
  std::string text = encode_proof(proof_for(chain_with(1), 1));
  const auto at = text.find_first_of("abcdef", text.find("merkleblock ") + 12);
  text[at] = static_cast<char>(text[at] - 'a' + 'A');
  const auto parsed = parse_proof(with_new_checksum(text));
  ASSERT_FALSE(parsed);
}

TEST(TxProof, SaysWhatIsWrong) {
  const auto chain = chain_with(5);
  const auto good = proof_for(chain, 2);

  auto other_tx = good;
  other_tx.tx = chain.block(3).txs[3];
  EXPECT_EQ(check_membership(other_tx).error(), ProofError::WrongTransaction);
  auto two = good;
  two.tree = build_partial_tree(chain.block(3).txids, {false, false, true, true, false, false});
  EXPECT_EQ(check_membership(two).error(), ProofError::WrongTransaction) << "not minimal";
  auto other_block = good;
  other_block.header = chain.header(4);
  EXPECT_EQ(check_membership(other_block).error(), ProofError::WrongRoot);
  auto broken_tree = good;
  broken_tree.tree.hashes.pop_back();
  EXPECT_EQ(check_membership(broken_tree).error(), ProofError::BadTree);
  auto no_outputs = good;
  no_outputs.tx.outputs.clear();
  EXPECT_EQ(check_membership(no_outputs).error(), ProofError::BadTransaction);

  auto gap = good;
  gap.following.erase(gap.following.begin());
  EXPECT_EQ(check_own_work(gap).error(), ProofError::BrokenLink);
  auto no_work = good;
  while (check_own_work(no_work)) ++no_work.following.back().nonce;
  EXPECT_EQ(check_own_work(no_work).error(), ProofError::NoWork);
  auto main = good;
  main.network = chain::Network::Main;
  EXPECT_EQ(check_own_work(main).error(), ProofError::NoWork) << "regtest's work is too little";

  EXPECT_EQ(parse_proof("").error(), ProofError::NotAProof);
  EXPECT_EQ(parse_proof("spv proof 2\n").error(), ProofError::NotAProof);
  EXPECT_EQ(parse_proof("spv proof 1\n").error(), ProofError::Malformed);
  EXPECT_EQ(parse_proof(std::string("spv proof 1\n") + std::string(kMaxProofText, 'x')).error(), ProofError::NotAProof);
  std::string bad_sum = encode_proof(good);
  char& last = bad_sum[bad_sum.size() - 2];
  last = last == '0' ? '1' : '0';
  EXPECT_EQ(parse_proof(bad_sum).error(), ProofError::BadChecksum);
}

TEST(TxProof, ACheckpointBeatsTheHeadersOfTheProof) {
  const auto& params = chain::params(chain::Network::Main);
  ASSERT_FALSE(params.checkpoints.empty());
  auto proof = proof_for(chain_with(1), 1);
  proof.network = chain::Network::Main;
  proof.header = params.genesis;  // real work, but not at that height
  proof.following.clear();
  proof.height = params.checkpoints.back().height;
  EXPECT_EQ(check_own_work(proof).error(), ProofError::WrongCheckpoint);
}

TEST(TxProof, EveryErrorHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int error = 0; error <= static_cast<int>(ProofError::WrongCheckpoint); ++error) {
    words.insert(to_string(static_cast<ProofError>(error)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(ProofError::WrongCheckpoint) + 1);
  EXPECT_FALSE(words.contains("unknown"));
}

}  // namespace
}  // namespace spv::bip37
