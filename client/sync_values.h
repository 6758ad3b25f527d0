// What a sync says about itself, as plain values: where it stands, what happens, and what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bip37/filter_plan.h"
#include "chain/transaction.h"
#include "chain/types.h"
#include "util/time.h"

namespace spv::client {

// --- where it stands ------------------------------------------------------------------------------------------------

/// What the scan has done so far.
struct ScanCounts {
  chain::Height scanned_from = -1;    // lowest height asked for; -1: none
  std::uint64_t merkleblocks = 0;     // blocks scanned by a peer's filter, each once
  std::uint64_t compact_filters = 0;  // blocks whose compact filter did not match, the same
  bool compact_nearby = false;        // filters came from a node on the local network
  std::uint64_t blocks = 0;           // whole ones, the same
  std::uint64_t answers = 0;          // blocks that came, checks and second looks included
  std::uint64_t transactions = 0;     // in all blocks scanned
  std::uint64_t matched = 0;
  std::uint64_t relevant = 0;
  std::uint64_t false_positives = 0;
  std::uint64_t rescans = 0;
  std::uint64_t asked_again = 0;

  /// Of two runs together.
  ScanCounts& operator+=(const ScanCounts& other) {
    if (other.scanned_from >= 0 && (scanned_from < 0 || other.scanned_from < scanned_from)) {
      scanned_from = other.scanned_from;
    }
    merkleblocks += other.merkleblocks;
    compact_filters += other.compact_filters;
    compact_nearby = compact_nearby || other.compact_nearby;
    blocks += other.blocks;
    answers += other.answers;
    transactions += other.transactions;
    matched += other.matched;
    relevant += other.relevant;
    false_positives += other.false_positives;
    rescans += other.rescans;
    asked_again += other.asked_again;
    return *this;
  }
};
/// The share of transactions that matched by chance; nothing before the first transaction.
inline std::optional<double> observed_fp_rate(const ScanCounts& counts) {
  if (counts.transactions == 0) return std::nullopt;
  return static_cast<double>(counts.false_positives) / static_cast<double>(counts.transactions);
}

/// Bytes that were read and written.
struct ByteCounts {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

struct SyncProgress {
  chain::Height header_height = 0;
  bool headers_done = false;
  chain::Height scanned = -1;
  std::uint64_t headers_added = 0;
  chain::Height first_header = 0;  // nothing is scanned below it
  std::size_t ready_peers = 0;
  chain::Height announced_height = 0;  // the highest block that a peer claims to have
  std::string transports;              // of the peers: "v2", "v1", "v1, v2"
  ScanCounts counts;
  ByteCounts bytes;
  /// All that is known of is scanned.
  bool at_rest = false;
  /// Only unconfirmed transactions are still waited for, until then.
  std::optional<util::TimePoint> waits_until{};
};

// --- what happens ---------------------------------------------------------------------------------------------------

struct TipChanged {
  chain::BlockRef tip;
};
struct ChainReorganised {
  chain::BlockRef from;
  chain::BlockRef to;
  chain::Height fork_height = 0;
};
/// A heavier branch that would undo many blocks waits until a second peer shows it too.
struct ReorganisationHeld {
  chain::BlockRef from;
  chain::BlockRef to;
  chain::Height fork_height = 0;
};
/// No block has come for so long that the peers may be cut off from the network.
struct ChainStale {
  chain::BlockRef tip;
  std::int64_t seconds = 0;
};
/// A block is so far ahead of the clock that it is not taken yet.
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
  std::string address;
  std::string state;
};
/// What is known of a transaction that was told to the network, the stronger the evidence the later.
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
  std::size_t peers_accepted = 0;       // peers that it was not sent to and that have it
  std::vector<std::string> fetched_by;  // those that took it from us
  bool final = false;                   // nothing more is waited for
};
/// What peers say about fees, in satoshis per 1,000 virtual bytes; none of it is proven.
struct FeesKnown {
  std::optional<std::int64_t> floor;  // below it most peers relay nothing
  std::size_t peers_heard = 0;
  std::optional<std::int64_t> estimate;  // what recent blocks earned, as if each were full
  std::size_t blocks_used = 0;
  std::size_t blocks_by_two = 0;  // of those, told alike by two peers
};
/// All wallets are scanned up to the best header, or cannot be.
struct SyncFinished {
  bool failed = false;
};
using SyncEvent =
    std::variant<TipChanged, ChainReorganised, ReorganisationHeld, ChainStale, ClockSuspected, TransactionSeen,
                 TransactionConflicted, PeerStateChanged, BroadcastChanged, FeesKnown, SyncFinished>;

// --- what came of it ------------------------------------------------------------------------------------------------

/// Why a sync could not be finished.
struct SyncFailure {
  std::string code;  // "no-peers", "no-bloom-peers", "no-compact-peers" or "no-serving-peers"
  std::string message;
};

struct SyncPeer {
  std::string address;
  std::string user_agent;
  std::string transport;  // "v1", "v2", or nothing if it never answered
  bool banned = false;
  std::string doubt{};  // why what it says of the chain is doubtful
};

struct SyncSummary {
  chain::BlockRef tip;  // of the headers
  std::uint64_t headers_added = 0;
  std::uint64_t reorganisations = 0;
  std::uint64_t cross_checked = 0;  // blocks that two peers gave alike
  ScanCounts counts;
  std::optional<bip37::FilterPlan> filter;  // the last one that was loaded
  std::string mempool;                      // "answered", "timeout" or "skipped"
  bool mempool_asked = true;
  /// How many peers have announced each unconfirmed transaction of the wallets.
  std::map<chain::Txid, std::size_t> announcers;
  std::vector<SyncPeer> peers;
  ByteCounts bytes;
  /// What the user should know, a sentence each.
  std::vector<std::string> warnings{};
  /// All blocks that the wallets need are scanned, as far as the peers can be believed.
  bool complete = true;
  /// Every peer claims more blocks than it serves.
  bool all_peers_doubtful = false;
};

}  // namespace spv::client
