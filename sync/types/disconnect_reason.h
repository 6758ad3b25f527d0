// Why we end a connection, and whether the peer broke the rules: the one place that maps errors to reasons.
#pragma once

#include <string_view>

#include "bip37/partial_merkle_tree.h"
#include "chain/header_chain.h"
#include "p2p/message.h"
#include "p2p/peer_session.h"

namespace spv::sync {

enum class DisconnectReason {
  // Not the peer's fault: we only go elsewhere.
  Finished,
  HandshakeTimeout,
  SelfConnection,
  ProtocolTooOld,
  NoFullBlocks,
  NoBloomFilters,  // NODE_BLOOM is not offered
  PingTimeout,
  Stalled,          // an answer is overdue
  BlocksNotServed,  // the fence came back without the blocks before it
  Lagging,          // it has not caught up with the best chain in time
  TooLittleWork,    // all that it has is less than the network's minimum, or than the best chain
  // Against the rules.
  BadMessage,
  BadHandshake,
  Flooding,  // it talks without end of what nobody asked for
  BadHeaders,
  UnconnectedHeaders,
  CheckpointMismatch,
  BadProof,
  BadBlock,            // a whole block that is not what its header says
  MissingTransaction,  // a matched transaction was not delivered
  BadTransaction,
  UnmatchedTransactions,  // it sends what our filter does not match
  Omission,               // it left out a transaction of ours that another peer proved
  // Not against the rules, but of no use either.
  OtherNetwork,  // a node of another network
  OtherChain,    // its headers are not Bitcoin's
  ClaimsMore,    // it claims more blocks than it serves, and others do not
  // Compact filters (BIP157). Not offered:
  NoCompactFilters,
  // Against the rules.
  BadFilterHeaders,
  BadFilter,    // it is not the one that its header names
  FalseFilter,  // it leaves out what is in the block
  // One of two lies, and it cannot be told which.
  FiltersDisputed,
};

std::string_view to_string(DisconnectReason reason);
/// True if the peer broke the rules and must not be used again soon.
bool is_misbehaviour(DisconnectReason reason);

/// True if the peer can never serve us as it is set up now; nothing hostile about it.
bool is_unfit(DisconnectReason reason);

DisconnectReason reason_of(p2p::SessionError error);
DisconnectReason reason_of(chain::HeaderError error);
DisconnectReason reason_of(p2p::DecodeError error);

}  // namespace spv::sync
