#include "sync/types/disconnect_reason.h"

namespace spv::sync {

std::string_view to_string(DisconnectReason reason) {
  switch (reason) {
    case DisconnectReason::Finished:
      return "done";
    case DisconnectReason::HandshakeTimeout:
      return "the handshake timed out";
    case DisconnectReason::SelfConnection:
      return "is this program itself";
    case DisconnectReason::ProtocolTooOld:
      return "protocol version too old";
    case DisconnectReason::NoFullBlocks:
      return "does not serve blocks";
    case DisconnectReason::NoBloomFilters:
      return "does not offer bloom filters (NODE_BLOOM)";
    case DisconnectReason::PingTimeout:
      return "did not answer a ping";
    case DisconnectReason::Stalled:
      return "stalled: it did not answer in time";
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
      return "flooded us with messages";
    case DisconnectReason::BadHeaders:
      return "sent invalid headers";
    case DisconnectReason::UnconnectedHeaders:
      return "sent headers that do not connect";
    case DisconnectReason::CheckpointMismatch:
      return "is on a chain that contradicts a checkpoint";
    case DisconnectReason::BadProof:
      return "sent an invalid merkle proof";
    case DisconnectReason::BadBlock:
      return "sent a block that does not match its header";
    case DisconnectReason::MissingTransaction:
      return "did not send a transaction that it had proven";
    case DisconnectReason::BadTransaction:
      return "sent an invalid transaction";
    case DisconnectReason::UnmatchedTransactions:
      return "sent transactions that do not match the filter";
    case DisconnectReason::Omission:
      return "left out a transaction of the wallet";
    case DisconnectReason::OtherNetwork:
      return "is a node of another network";
    case DisconnectReason::OtherChain:
      return "sends headers of another chain";
    case DisconnectReason::ClaimsMore:
      return "claims more blocks than it serves";
    case DisconnectReason::NoCompactFilters:
      return "does not offer compact block filters (NODE_COMPACT_FILTERS)";
    case DisconnectReason::BadFilterHeaders:
      return "sent invalid filter headers";
    case DisconnectReason::BadFilter:
      return "sent a compact filter that does not match its header";
    case DisconnectReason::FalseFilter:
      return "sent a compact filter that leaves out a part of its block";
    case DisconnectReason::FiltersDisputed:
      return "its compact filters differ from another peer's in too many blocks";
  }
  return "unknown reason";
}

bool is_misbehaviour(DisconnectReason reason) {
  const bool by_filters = reason >= DisconnectReason::BadFilterHeaders && reason <= DisconnectReason::FalseFilter;
  return by_filters || (reason >= DisconnectReason::BadMessage && reason <= DisconnectReason::Omission);
}

bool is_unfit(DisconnectReason reason) {
  return reason == DisconnectReason::NoBloomFilters || reason == DisconnectReason::NoCompactFilters ||
         reason == DisconnectReason::SelfConnection || reason == DisconnectReason::ProtocolTooOld ||
         reason == DisconnectReason::NoFullBlocks || reason == DisconnectReason::OtherNetwork;
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

DisconnectReason reason_of(p2p::DecodeError error) {
  switch (error) {
    case p2p::DecodeError::OtherNetwork:
      return DisconnectReason::OtherNetwork;
    case p2p::DecodeError::ForeignHeaders:
      return DisconnectReason::OtherChain;
    default:
      return DisconnectReason::BadMessage;
  }
}

}  // namespace spv::sync
