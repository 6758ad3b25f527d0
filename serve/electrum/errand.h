// Errand: what a session cannot answer from memory, and what comes of it. Others run the errands; the session goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "serve/electrum/header_tree.h"
#include "serve/electrum/json_rpc.h"
#include "serve/electrum/tx_branch.h"
#include "wallet/confirmation.h"

namespace spv::serve::electrum {

struct HeadersWanted {
  chain::Height from = 0;
  std::uint32_t count = 1;
  chain::Height checkpoint = 0;  // 0: without a proof
  bool single = false;           // one header, which must be there
};
struct TxWanted {
  chain::Txid txid;
  bool verbose = false;
};
struct BranchWanted {
  chain::Txid txid;
  chain::Height height = 0;
};
struct PositionWanted {
  chain::Height height = 0;
  std::uint32_t position = 0;
  bool with_branch = false;
};
struct BroadcastWanted {
  std::string hex;
};
struct FeesWanted {
  enum class Kind { Estimate, Relay, Mempool } kind = Kind::Estimate;
};
using Errand = std::variant<HeadersWanted, TxWanted, BranchWanted, PositionWanted, BroadcastWanted, FeesWanted>;

struct HeadersFound {
  std::vector<chain::BlockHeader> headers;
  std::optional<MerkleBranch> proof;
};
struct TxFound {
  chain::Transaction tx;
  std::optional<wallet::Confirmation> confirmation;
  chain::Height tip = 0;
};
struct BranchFound {
  chain::Txid txid;
  chain::Height height = 0;
  TxBranch branch;
};
struct BroadcastDone {
  std::string txid;
};
/// In satoshis for 1,000 virtual bytes.
struct FeesFound {
  std::optional<double> floor;
  std::optional<double> estimate;
};
using Outcome = std::variant<RpcError, HeadersFound, TxFound, BranchFound, BroadcastDone, FeesFound>;

}  // namespace spv::serve::electrum
