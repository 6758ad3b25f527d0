#include "client/proof.h"

#include <filesystem>

#include "util/codec.h"

namespace spv::client {
namespace {

/// Headers that a proof carries behind its block, where the chain is long enough.
constexpr chain::Height kFollowing = 6;

util::Unexpected<std::string> no_proof(const char* why) { return {std::string(why)}; }

}  // namespace

std::unique_ptr<store::HeaderFile> read_headers(const std::string& path, chain::Network network) {
  if (!std::filesystem::exists(path)) return nullptr;
  return store::HeaderFile::open_to_read(path, chain::params(network));
}

// The stored merkleblock may prove other transactions too: the proof keeps one.
util::Expected<bip37::TxProof, std::string> make_proof(const wallet::TxRecord& record, chain::Network network,
                                                       const chain::HeaderStore* headers) {
  if (!record.confirmation) return no_proof("the transaction is unconfirmed; a proof needs a block");
  util::Reader in(record.proof);
  bip37::TxProof proof;
  proof.network = network;
  proof.height = record.confirmation->block.height;
  proof.tx = record.tx;
  proof.header = chain::BlockHeader::decode(in);
  const auto tree = bip37::PartialMerkleTree::decode(in);
  const auto narrowed = in.done() ? bip37::narrow_to(tree, record.txid) : std::nullopt;
  if (!narrowed) return no_proof("no proof of this transaction is stored; run spv rescan and spv sync");
  proof.tree = *narrowed;
  for (chain::Height height = proof.height + 1; headers != nullptr && height <= proof.height + kFollowing; ++height) {
    if (height > headers->tip_height() || height < headers->base_height()) break;
    const auto header = headers->at(height);
    const auto previous = proof.following.empty() ? proof.header.hash() : proof.following.back().hash();
    if (header.previous != previous) break;  // the wallet has not followed a reorganisation yet
    proof.following.push_back(header);
  }
  if (!bip37::check_membership(proof)) return no_proof("the stored proof is damaged; run spv rescan and spv sync");
  return proof;
}

ProofPlace place_of(const bip37::TxProof& proof, const chain::HeaderStore* headers) {
  if (headers == nullptr || proof.height > headers->tip_height()) return ProofPlace::AboveTip;
  if (headers->tip_work() < chain::params(proof.network).minimum_chain_work) return ProofPlace::TooLittleWork;
  if (proof.height < headers->base_height()) return ProofPlace::BelowBase;
  return headers->hash_at(proof.height) == proof.header.hash() ? ProofPlace::OnChain : ProofPlace::Elsewhere;
}

}  // namespace spv::client
