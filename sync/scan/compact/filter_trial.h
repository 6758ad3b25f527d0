// FilterTrial: two peers have different filters for one block, and the block itself decides. A filter holds every
// script that the block pays and every one that it spends from, so one that misses what we can see there is a lie. What
// is spent in the block shows its script in the block that made it, which we seldom have: a filter that leaves out
// nothing but such a script is not found out, and the block is scanned whole instead.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bip158/script_set.h"
#include "sync/scan/compact/filter_headers.h"

namespace spv::sync {

class FilterTrial {
 public:
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(20);

  /// The script of an output that we know, or nothing.
  using KnownScript = std::function<std::optional<util::Bytes>(const chain::OutPoint&)>;

  explicit FilterTrial(KnownScript known) : known_(std::move(known)) {}

  [[nodiscard]] bool is_on() const { return difference_.has_value(); }
  [[nodiscard]] const FilterDifference& difference() const { return *difference_; }
  [[nodiscard]] const chain::BlockRef& block() const { return block_; }
  void begin(const FilterDifference& difference, const chain::BlockRef& block);
  void end() { difference_.reset(); }
  /// What this peer was asked for must be asked for elsewhere.
  void lost(PeerId peer);

  // --- what is asked for: each from one peer at a time, `since` for as long ----------------------------------------
  struct Wanted {
    PeerId asked = 0;  // zero: nobody
    util::TimePoint due{};
    bool came = false;
  };
  Wanted theirs;
  Wanted ours;
  Wanted body;
  /// The peer is asked for its filter of the block.
  void on_asked(PeerId peer, Wanted& wanted, util::Now now);
  /// True if an answer that nobody else waits for is one that a trial has asked for.
  bool excuses(PeerId peer, const chain::BlockHash& block) { return answers_due_.erase({peer, block}) != 0; }
  /// A filter for the block came from a peer. True if it was asked for.
  bool on_filter(PeerId peer, const p2p::CFilter& message, const FilterHeaders& headers);
  /// The block itself is to be asked for again, unless it is here.
  void forget_block() {
    if (!body.came) body = {};
  }
  [[nodiscard]] bool wants(const chain::BlockHash& block) const {
    return is_on() && !body.came && block == block_.hash;
  }
  /// True if it still owes its filter of this block.
  [[nodiscard]] bool waits_for(PeerId peer, const chain::BlockHash& block) const;
  /// When a peer's silence about its filter becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;
  /// The block came, and is proven. `news`: it holds something of ours that we do not know.
  void on_block(util::ByteView body, bool news);
  /// The block has told us something, whatever the filters are worth.
  [[nodiscard]] bool brought_news() const { return news_; }

  /// What each filter is worth; nothing as long as something is missing. `defended`: somebody can still send ours.
  struct Verdict {
    bool theirs_false = false;
    bool ours_false = false;
  };
  [[nodiscard]] std::optional<Verdict> verdict(bool defended) const;

 private:
  [[nodiscard]] bool is_false(const util::Bytes& filter) const;

  KnownScript known_;
  std::optional<FilterDifference> difference_;
  chain::BlockRef block_;
  bool news_ = false;
  util::Bytes their_filter_;
  util::Bytes our_filter_;
  std::set<std::pair<PeerId, chain::BlockHash>> answers_due_;
  bip158::ScriptSet scripts_;  // that the block is known to pay or to spend from
};

}  // namespace spv::sync
