// What the client does for its user beyond a sync: it tells the network a transaction and says what came of it, and
// it asks the peers what a transaction must pay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"

namespace spv::sync {

// --- inputs ---------------------------------------------------------------------------------------------------
/// The user wants this transaction told to the network.
struct BroadcastRequested {
  chain::Transaction tx;
  /// Those that it spends from and that wait for a block too, parents first: a peer that lacks one may fetch it.
  std::vector<chain::Transaction> parents{};
};
struct FeesRequested {};

// --- events ---------------------------------------------------------------------------------------------------
/// What is known of a transaction that was told, the stronger the evidence the later.
enum class BroadcastState {
  Uncertain,  // nobody has taken it
  Announced,  // a peer was told
  Fetched,    // a peer took it, but may have refused it
  Accepted,   // a peer that it was not sent to has it
  Confirmed,  // a block has it
};
struct BroadcastChanged {
  chain::Txid txid;
  BroadcastState state{};
  /// Peers that it was not sent to and that have it.
  std::size_t peers_accepted = 0;
  /// Those that took it from us: "host:port".
  std::vector<std::string> fetched_by;
  /// Nothing more is waited for.
  bool final = false;
};
/// What peers say about fees, in satoshis per 1,000 virtual bytes. None of it is proven.
struct FeesKnown {
  /// Below it most peers relay nothing: the median of what they announce. Nothing if none did.
  std::optional<std::int64_t> floor;
  std::size_t peers_heard = 0;
  /// What recent blocks earned, as if each were full. Nothing where that cannot be told.
  std::optional<std::int64_t> estimate;
  std::size_t blocks_used = 0;
  /// Of those, the ones that two peers told alike; the others rest on the word of one.
  std::size_t blocks_by_two = 0;
};

}  // namespace spv::sync
