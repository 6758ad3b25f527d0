// Proofs that can be mailed: made from what a wallet has stored, and held against the headers known here.
#pragma once

#include <memory>
#include <string>

#include "bip37/tx_proof.h"
#include "store/header_file.h"
#include "util/expected.h"
#include "wallet/records.h"

namespace spv::client {

/// The headers of a data folder, or null.
std::unique_ptr<store::HeaderFile> read_headers(const std::string& path, chain::Network network);

/// The proof of one transaction, checked; or one line that says why there is none. `headers` may be null.
util::Expected<bip37::TxProof, std::string> make_proof(const wallet::TxRecord& record, chain::Network network,
                                                       const chain::HeaderStore* headers);

/// Where a proof's block is to the headers known here.
enum class ProofPlace {
  OnChain,
  TooLittleWork,  // those are short of the network's minimum: anybody may have made them up
  AboveTip,
  BelowBase,
  Elsewhere
};
ProofPlace place_of(const bip37::TxProof& proof, const chain::HeaderStore* headers);

}  // namespace spv::client
