// ScanLane: one peer's pipeline of blocks, filtered or whole. Requests go out in batches, each closed by a ping;
// answers are proven, completed with their transactions, and taken out strictly in the order of the requests.
//
// A node answers in order and reads nothing new while it serves (protocol.md P1), so the pong of a batch is a fence:
// what has not come by then never comes. What this resists: proofs that do not hold, transactions slipped in or left
// out, blocks not asked for (they confirm nothing), silence.
//
// A new filter may be loaded with blocks under way: those were asked for under the old one, and count as such.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "bip37/filter_mirror.h"
#include "bip37/filter_plan.h"
#include "sync/scan/block_matcher.h"
#include "sync/scan/lane_pace.h"
#include "sync/scan/scanned_block.h"
#include "sync/types/outbox.h"

namespace spv::sync {

/// What a message to a lane came to.
struct LaneStep {
  std::optional<DisconnectReason> fault;  // why the connection must end, if it must
  bool taken = false;                     // it was asked for, or promised
};

class ScanLane {
 public:
  /// No answer for this long while one is due: the peer has stalled.
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(10);
  /// The same for a whole block, which may be 4 MB on a slow link: as long as one message may take.
  static constexpr util::Duration kWholeStallTimeout = std::chrono::seconds(60);
  /// This many deliveries that our own filter does not match end the connection (security.md, R7).
  static constexpr std::size_t kMaxUnmatched = 100;
  /// Held behind a block that is not complete: more, and the peer is playing for our memory.
  static constexpr std::size_t kMaxHeldBytes = 8'000'000;

  /// Finds a transaction that we have already, or null.
  using KnownTransactions = std::function<const chain::Transaction*(const chain::Txid&)>;

  /// `strict`: loose transactions are silenced, so the peer's filter is exactly our mirror.
  ScanLane(PeerId peer, bool strict) : peer_(peer), strict_(strict) {}

  [[nodiscard]] PeerId peer() const { return peer_; }
  [[nodiscard]] bool has_filter() const { return !filters_.empty(); }
  /// What the peer's filter holds, as far as its answers have come.
  [[nodiscard]] const bip37::FilterMirror& mirror() const { return filters_.back().mirror; }
  /// Which filter requests go out under now; zero if none.
  [[nodiscard]] FilterEpoch epoch() const { return filters_.empty() ? 0 : filters_.back().epoch; }

  /// Sends a filter, for all requests from now on.
  void load_filter(const bip37::BloomFilter& filter, FilterEpoch epoch, Outbox& out);
  /// Answers to requests made so far no longer count (the chain has changed under them).
  void forget_requests();
  /// Asks for blocks, in order, and closes the batch with a ping. Gives the first one's id. Filtered ones need a
  /// filter.
  RequestId request(const std::vector<chain::BlockRef>& blocks, BlockKind kind, std::uint64_t fence, util::Now now,
                    Outbox& out);

  /// Each returns why the connection must end, if it must.
  std::optional<DisconnectReason> on(const p2p::MerkleBlock& message, util::Now now);
  /// All that blocks above `next` spend is noted down.
  LaneStep on(const p2p::Block& message, BlockMatcher& matcher, chain::Height next, util::Now now);
  std::optional<DisconnectReason> on(const p2p::Pong& message, const KnownTransactions& known, util::Now now);
  /// Takes a transaction that a proof has promised.
  LaneStep on(const chain::Transaction& tx, const chain::Txid& txid, util::Now now);

  /// True if a transaction that nothing promised is no fault of the peer: it belongs to a block asked for under an
  /// earlier filter, or our filter matches it.
  bool excuses(const chain::Transaction& tx, const chain::Txid& txid);

  /// The next complete block, in the order of the requests.
  std::optional<ScannedBlock> take();
  /// Set after take(): the peer delivers what our filter does not match.
  [[nodiscard]] bool ignores_filter() const;

  /// Requests that are not taken yet.
  [[nodiscard]] std::size_t in_flight() const { return requests_.size(); }
  /// Of those, the ones under the present filter.
  [[nodiscard]] std::size_t in_flight_now() const;
  /// Of those, the ones of a kind.
  [[nodiscard]] std::size_t in_flight(BlockKind kind) const { return under_way_[place(kind)]; }
  [[nodiscard]] const LanePace& pace(BlockKind kind) const { return pace_[place(kind)]; }
  /// What a block of this kind costs is to be measured anew.
  void forget_pace(BlockKind kind) { pace_[place(kind)].forget_blocks(); }
  /// An answer is overdue: others may help, and nothing more should be asked of this peer meanwhile.
  [[nodiscard]] bool is_late(util::Now now) const;
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;
  /// Answers so far, of a kind.
  [[nodiscard]] std::uint64_t blocks_received(BlockKind kind) const { return received_[place(kind)]; }

 private:
  struct Request {
    bool counts = true;
    bool answered = false;
    std::size_t missing = 0;  // matched transactions still to come
    ScannedBlock result;
  };
  struct Fence {
    std::uint64_t nonce = 0;
    std::uint64_t last = 0;  // number of the last request before it
  };
  struct LoadedFilter {
    FilterEpoch epoch = 0;
    bip37::FilterMirror mirror;
    std::uint64_t first = 0;  // number of the first request under it
  };
  struct Awaited {
    std::uint64_t request = 0;
    std::size_t slot = 0;
  };

  static constexpr std::size_t place(BlockKind kind) { return static_cast<std::size_t>(kind); }
  Request& at(std::uint64_t number) { return requests_[static_cast<std::size_t>(number - first_)]; }
  void drop_old_filters(std::uint64_t next);
  [[nodiscard]] std::uint64_t next_fence() const;
  bip37::FilterMirror& mirror_of(std::uint64_t number);
  std::optional<std::uint64_t> find_request(const chain::BlockHash& hash, BlockKind kind) const;
  std::optional<DisconnectReason> on_answer(std::uint64_t number, util::Now now);
  std::optional<DisconnectReason> skip_to(std::uint64_t number);
  std::optional<DisconnectReason> fill(std::uint64_t number, const p2p::MerkleBlock& message);
  std::optional<DisconnectReason> fill(Request& request, const p2p::Block& message, BlockMatcher& matcher,
                                       chain::Height next);
  std::optional<DisconnectReason> place(Request& request, std::size_t slot, const chain::Transaction& tx);
  std::optional<DisconnectReason> settle(std::uint64_t number, const KnownTransactions& known);

  PeerId peer_;
  bool strict_;
  std::deque<LoadedFilter> filters_;  // the present one last; earlier ones while something is under way under them
  std::array<LanePace, 2> pace_;      // by kind
  std::deque<Request> requests_;
  std::uint64_t first_ = 0;       // number of requests_.front()
  std::uint64_t unanswered_ = 0;  // number of the next request to be answered
  std::deque<Fence> fences_;
  std::unordered_map<chain::Txid, Awaited> awaited_;
  std::size_t unmatched_ = 0;
  std::size_t held_bytes_ = 0;               // of transactions that came and are not taken yet, about
  std::uint64_t owed_to_earlier_ = 0;        // transactions of blocks that no longer count
  std::array<std::uint64_t, 2> received_{};  // by kind
  std::array<std::size_t, 2> under_way_{};   // the same
  util::TimePoint last_progress_{};
};

}  // namespace spv::sync
