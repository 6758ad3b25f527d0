// What goes into the engine and what comes out: inputs are facts (past tense), actions are orders (imperative).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/types.h"
#include "p2p/message.h"
#include "sync/types/disconnect_reason.h"
#include "sync/types/errands.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::sync {

/// One connection; never used twice.
using PeerId = std::uint32_t;

/// A host name or address with its port, as the user gave it.
struct PeerAddress {
  std::string host;
  std::uint16_t port = 0;
  friend auto operator<=>(const PeerAddress&, const PeerAddress&) = default;
};
/// "host:port", IPv6 in brackets.
std::string to_string(const PeerAddress& address);

// --- inputs ---------------------------------------------------------------------------------------------------
struct Started {};
struct PeerConnected {
  PeerId peer = 0;
};
struct ConnectFailed {
  PeerId peer = 0;
  std::string reason;
};
struct MessageReceived {
  PeerId peer = 0;
  p2p::Message message;
};
struct StreamCorrupted {
  PeerId peer = 0;
  p2p::DecodeError error{};
};
struct PeerDisconnected {
  PeerId peer = 0;
  std::string reason = "closed the connection";
};
/// A part of the answer to FindPeers.
struct PeersFound {
  std::string source;  // who said so
  std::uint64_t services = 0;
  std::vector<PeerAddress> addresses;
  bool last = false;  // nothing more comes
};
/// Other wallets are watched than before.
struct WatchChanged {};
struct Tick {};
using Input = std::variant<Started, PeerConnected, ConnectFailed, MessageReceived, StreamCorrupted, PeerDisconnected,
                           PeersFound, WatchChanged, Tick, BroadcastRequested, FeesRequested>;

// --- events: what a user wants to hear of -----------------------------------------------------------------------
struct TipChanged {
  chain::BlockRef tip;
};
struct ChainReorganised {
  chain::BlockRef from;
  chain::BlockRef to;
  chain::Height fork_height = 0;
};
/// A heavier branch that would undo many blocks waits until a second peer shows it too (security.md H19).
struct ReorganisationHeld {
  chain::BlockRef from;
  chain::BlockRef to;
  chain::Height fork_height = 0;
};
/// No block has come for so long that our peers may be cut off from the network (security.md E4).
struct ChainStale {
  chain::BlockRef tip;
  std::int64_t seconds = 0;
};
/// A block is so far ahead of our clock that it is not taken yet: most likely the clock is wrong (security.md H7).
struct ClockSuspected {
  std::int64_t seconds = 0;
};
struct TransactionSeen {
  chain::Txid txid;
  chain::Amount net = 0;
  std::optional<chain::Height> height;
  bool unconfirmed_again = false;  // a reorganisation has undone its block
};
struct TransactionConflicted {
  chain::Txid txid;
  std::optional<chain::Txid> replaced_by;
};
struct PeerStateChanged {
  PeerAddress address;
  std::string state;
};
/// Why a sync could not be finished.
struct Failure {
  enum class Code { NoPeers, NoBloomPeers, NoServingPeers, NoCompactPeers };
  Code code{};
  std::string message;
};
/// The wallet is scanned up to the best header (or cannot be: `failure`).
struct Finished {
  std::optional<Failure> failure;
};
using Event =
    std::variant<TipChanged, ChainReorganised, ReorganisationHeld, ChainStale, ClockSuspected, TransactionSeen,
                 TransactionConflicted, PeerStateChanged, BroadcastChanged, FeesKnown, Finished>;

// --- actions ----------------------------------------------------------------------------------------------------
struct Connect {
  PeerId peer = 0;
  PeerAddress address;
};
struct Send {
  PeerId peer = 0;
  p2p::Message message;
};
struct Disconnect {
  PeerId peer = 0;
  DisconnectReason reason{};
};
/// One wallet of those that the engine serves; never used twice.
using MemberId = std::uint32_t;
struct MemberChanges {
  MemberId wallet = 0;
  wallet::Changes changes;
};
/// Commit before anything that follows is shown, each wallet's changes in one database transaction.
struct Persist {
  std::vector<MemberChanges> wallets;
};
struct Notify {
  Event event;
};
/// Ask the network's seeds for addresses of nodes.
struct FindPeers {};
using Action = std::variant<Connect, Send, Disconnect, Persist, Notify, FindPeers>;

}  // namespace spv::sync
