#include "sync/types/disconnect_reason.h"

namespace spv::sync {

std::string_view to_string(DisconnectReason reason) {
  switch (reason) {
    case DisconnectReason::Finished:
      return "done";
    case DisconnectReason::HandshakeTimeout:
      return "no handshake in time";
    case DisconnectReason::SelfConnection:
      return "connected to ourselves";
    case DisconnectReason::ProtocolTooOld:
      return "protocol version too old";
    case DisconnectReason::NoFullBlocks:
      return "does not serve blocks";
    case DisconnectReason::NoBloomFilters:
      return "does not offer bloom filters (NODE_BLOOM)";
    case DisconnectReason::PingTimeout:
      return "ping not answered";
    case DisconnectReason::Stalled:
      return "stalled";
    case DisconnectReason::BlocksNotServed:
      return "does not have the blocks of the best chain";
    case DisconnectReason::Lagging:
      return "has not caught up with the best chain";
    case DisconnectReason::TooLittleWork:
      return "its chain has too little work";
    case DisconnectReason::BadMessage:
      return "sent a malformed message";
    case DisconnectReason::BadHandshake:
      return "broke the handshake";
    case DisconnectReason::Flooding:
      return "floods us with messages";
    case DisconnectReason::BadHeaders:
      return "sent headers that break the rules";
    case DisconnectReason::UnconnectedHeaders:
      return "sent headers that connect to nothing";
    case DisconnectReason::CheckpointMismatch:
      return "is on a chain that contradicts a checkpoint";
    case DisconnectReason::BadProof:
      return "sent a merkle proof that does not hold";
    case DisconnectReason::BadBlock:
      return "sent a block that is not what its header says";
    case DisconnectReason::MissingTransaction:
      return "left out a transaction that it had proven";
    case DisconnectReason::BadTransaction:
      return "sent a transaction that breaks the rules";
    case DisconnectReason::UnmatchedTransactions:
      return "sends transactions that the filter does not match";
    case DisconnectReason::Omission:
      return "left out a transaction of the wallet";
  }
  return "unknown reason";
}

bool is_misbehaviour(DisconnectReason reason) { return reason >= DisconnectReason::BadMessage; }

bool is_unfit(DisconnectReason reason) {
  return reason == DisconnectReason::NoBloomFilters || reason == DisconnectReason::SelfConnection ||
         reason == DisconnectReason::ProtocolTooOld || reason == DisconnectReason::NoFullBlocks;
}

DisconnectReason reason_of(p2p::SessionError error) {
  switch (error) {
    case p2p::SessionError::HandshakeTimeout:
      return DisconnectReason::HandshakeTimeout;
    case p2p::SessionError::SelfConnection:
      return DisconnectReason::SelfConnection;
    case p2p::SessionError::ProtocolTooOld:
      return DisconnectReason::ProtocolTooOld;
    case p2p::SessionError::NoFullBlocks:
      return DisconnectReason::NoFullBlocks;
    case p2p::SessionError::DuplicateVersion:
      return DisconnectReason::BadHandshake;
    case p2p::SessionError::PingTimeout:
      return DisconnectReason::PingTimeout;
    case p2p::SessionError::Flooding:
      return DisconnectReason::Flooding;
  }
  return DisconnectReason::BadHandshake;
}

DisconnectReason reason_of(chain::HeaderError error) {
  switch (error) {
    case chain::HeaderError::Unconnected:
      return DisconnectReason::UnconnectedHeaders;
    case chain::HeaderError::CheckpointMismatch:
    case chain::HeaderError::BelowCheckpoint:
      return DisconnectReason::CheckpointMismatch;
    case chain::HeaderError::TooLittleWork:
      return DisconnectReason::TooLittleWork;
    default:
      return DisconnectReason::BadHeaders;
  }
}

}  // namespace spv::sync
