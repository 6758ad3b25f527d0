// FilterHeaders: the chain of compact filters' headers (BIP157) that the scan goes by, and which peer has sent the
// same.
//
// No block commits to its filter, so a filter is worth what the peers say: the first peer's chain becomes ours, and
// every other peer's is laid over it, filter hash by filter hash, before its filters are taken. At the first hash that
// differs the block itself decides (FilterTrial), never a majority. A peer whose chain had left ours before the first
// block of this run is compared from the first header that is kept.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bip158/basic_filter.h"
#include "bip158/filter_header_store.h"
#include "chain/header_chain.h"
#include "p2p/compact_filter_messages.h"
#include "sync/types/outbox.h"
#include "util/time.h"

namespace spv::sync {

/// A peer says that a block has another filter than the one that we go by.
struct FilterDifference {
  PeerId peer = 0;
  chain::Height height = 0;
  bip158::FilterHash filter_hash;  // of the filter that it has
};

class FilterHeaders {
 public:
  /// No answer for this long, while nothing else comes either: the peer has stalled.
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(10);
  /// A node that has just got a block may not have its filter yet, and answers with silence: asked again so much later.
  static constexpr util::Duration kPause = std::chrono::milliseconds(100);

  /// Honest peers never differ, so one of two lies that differ more often, by what no block can refute.
  static constexpr std::size_t kMostPassed = 100;

  /// Both outlive it.
  FilterHeaders(const chain::HeaderChain& chain, bip158::FilterHeaderStore& store) : chain_(chain), store_(store) {}

  /// The scan begins at this block: earlier ones are not asked for, unless a peer's past differs from ours.
  void begin_at(chain::Height first);
  /// What lies above is no longer ours: the chain was left there, or a filter above it is a lie.
  void cut_above(chain::Height height);
  void add(PeerId peer);
  void remove(PeerId peer) { peers_.erase(peer); }

  /// Asks a peer for what comes next, up to `last`, unless an answer is due; a ping with this nonce follows.
  void ask(PeerId peer, chain::Height last, std::uint64_t fence, util::Now now, Outbox& out);
  /// A pong came: what was asked for before it is not answered any more.
  void on_fence(PeerId peer, std::uint64_t nonce, util::Now now);
  struct Step {
    std::optional<DisconnectReason> fault = std::nullopt;
    bool taken = false;
    std::optional<FilterDifference> difference = std::nullopt;
  };
  Step on(PeerId peer, const p2p::CFHeaders& message);
  /// Something else came from it: it is busy, and not silent.
  void note_progress(PeerId peer, util::Now now);
  /// When a peer's silence becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline(PeerId peer) const;
  /// When to ask a silent peer again.
  [[nodiscard]] std::optional<util::TimePoint> ask_again_at() const;
  /// A difference could not be settled by the block: compares what lies above it. False: there were too many of them.
  bool pass_over(const FilterDifference& difference);

  /// Up to here the peer has sent our headers, so that its filters can be taken.
  [[nodiscard]] chain::Height reach(PeerId peer) const;
  /// It has sent the header of this block as ours is.
  [[nodiscard]] bool vouches(PeerId peer, chain::Height height) const;
  /// Those that have.
  [[nodiscard]] std::vector<PeerId> vouching(chain::Height height) const;
  /// The highest block whose header two peers have sent alike.
  [[nodiscard]] chain::Height sent_by_two() const;
  /// True if a filter with this hash is the one that our headers name.
  [[nodiscard]] bool is_ours(chain::Height height, const bip158::FilterHash& filter_hash) const;
  [[nodiscard]] std::size_t peers() const { return peers_.size(); }
  /// The lowest header that is kept: a peer's word alone stands for it, and no filter of its block can be proven.
  [[nodiscard]] chain::Height base() const { return store_.base_height(); }

 private:
  struct Ask {
    chain::Height first = 0;
    chain::Height last = 0;
    chain::BlockHash stop;
    util::TimePoint since{};
    std::uint64_t fence = 0;
    bool counts = true;  // false: the chain has changed under it
  };
  struct Peer {
    chain::Height from = 0;      // the first block that is compared
    chain::Height compared = 0;  // and the last one so far
    std::optional<Ask> asked = std::nullopt;
    std::optional<util::TimePoint> silent_since = std::nullopt;  // it passed over what it was asked for
    util::TimePoint ask_at{};                                    // not before
    std::optional<bip158::FilterHeader> own = std::nullopt;      // its header of that one
    bool looked_back = false;                                    // where its past differs is known, or cannot be
    std::set<chain::Height> passed = {};  // its filters differ here, and no block has told which one is true
  };
  void start_again(Peer& peer) const;
  std::optional<FilterDifference> compare(PeerId id, Peer& peer, const Ask& ask, const p2p::CFHeaders& message);

  const chain::HeaderChain& chain_;
  bip158::FilterHeaderStore& store_;
  chain::Height first_ = 0;
  std::map<PeerId, Peer> peers_;
};

}  // namespace spv::sync
