// TxProof: a self-contained proof that a block holds a transaction, as text that can be mailed.
//
//   spv proof 1
//   network regtest
//   height 102
//   transaction HEX
//   merkleblock HEX     header and partial merkle tree (BIP37), as gettxoutproof gives it for this transaction
//   headers HEX         the headers that follow the block, 80 bytes each; more work on top
//   checksum HEX        double SHA-256 of all that stands above
//
// There is one text for each proof: whatever is spelt otherwise is refused, so no byte can be changed unnoticed. What
// mail programs and editors do to line ends is undone before, by plain_proof_text().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bip37/partial_merkle_tree.h"
#include "chain/params.h"
#include "chain/transaction.h"
#include "chain/uint256.h"
#include "util/expected.h"

namespace spv::bip37 {

/// Longer texts are refused before they are read: the largest transaction in hex, and room for the rest.
inline constexpr std::size_t kMaxProofText = 12'000'000;
/// So many following headers at most.
inline constexpr std::size_t kMaxFollowing = 2016;

struct TxProof {
  chain::Network network = chain::Network::Main;
  chain::Height height = 0;
  chain::Transaction tx;
  chain::BlockHeader header;
  PartialMerkleTree tree;
  std::vector<chain::BlockHeader> following;
  friend bool operator==(const TxProof&, const TxProof&) = default;
};

enum class ProofError {
  NotAProof,
  Malformed,
  BadChecksum,
  BadTransaction,
  BadTree,
  WrongTransaction,  // the tree marks another one, or more than one
  WrongRoot,
  BrokenLink,
  NoWork,
  WrongCheckpoint,
};
std::string_view to_string(ProofError error);

std::string encode_proof(const TxProof& proof);
/// The text without what a mail program or an editor has left at the ends of its lines: CRLF, spaces, empty lines at
/// the end, or no end at all.
std::string plain_proof_text(std::string_view text);
/// Reads the text; what is parsed is not yet proven.
util::Expected<TxProof, ProofError> parse_proof(std::string_view text);
/// That the block of proof.header holds proof.tx. Whether that block is on the best chain is for the caller to say.
util::Expected<void, ProofError> check_membership(const TxProof& proof);
/// That every header has its proof of work and follows the one before; gives their work together. The difficulty is
/// what the headers themselves claim: compare the work with what a forgery would be worth.
util::Expected<chain::Uint256, ProofError> check_own_work(const TxProof& proof);

}  // namespace spv::bip37
