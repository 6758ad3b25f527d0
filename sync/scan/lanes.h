// Lanes: the peers that serve blocks, each with its pipeline and what is known of it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "sync/scan/scan_lane.h"
#include "sync/scan/source_choice.h"

namespace spv::sync {

struct Lane {
  ScanLane pipe;
  LaneUse use;
  SourceChoice choice;
  chain::Height reach = -1;  // it has the blocks of the best chain up to here
  std::size_t room = 0;      // blocks that may be under way under its filter
  bool worn = false;         // its filter should be renewed
  bool lacking = false;      // its filter lacks a coin: nothing that it serves under it counts
  std::optional<util::TimePoint> lags_since = std::nullopt;  // an answer was late, and not all it owed came since

  /// A filter must be loaded before the next filtered block is asked for.
  [[nodiscard]] bool renews() const { return use.filtered && (worn || lacking); }
};

class Lanes {
 public:
  Lane& add(Lane lane) {
    const PeerId peer = lane.pipe.peer();
    return lanes_.emplace(peer, std::move(lane)).first->second;
  }
  bool remove(PeerId peer) { return lanes_.erase(peer) != 0; }
  [[nodiscard]] bool contains(PeerId peer) const { return lanes_.contains(peer); }
  [[nodiscard]] Lane& at(PeerId peer) { return lanes_.at(peer); }
  [[nodiscard]] const Lane* find(PeerId peer) const;
  [[nodiscard]] Lane* find(PeerId peer);
  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  [[nodiscard]] bool empty() const { return lanes_.empty(); }
  [[nodiscard]] auto begin() { return lanes_.begin(); }
  [[nodiscard]] auto end() { return lanes_.end(); }
  [[nodiscard]] auto begin() const { return lanes_.begin(); }
  [[nodiscard]] auto end() const { return lanes_.end(); }

  template <typename Predicate>
  [[nodiscard]] bool any(Predicate holds) const {
    return std::ranges::any_of(lanes_, [&](const auto& item) { return holds(item.second); });
  }
  /// Somebody filters for us.
  [[nodiscard]] bool filters() const {
    return any([](const Lane& lane) { return lane.use.filtered; });
  }
  /// Of those, the first that has a filter: what it holds now. Null without.
  [[nodiscard]] const bip37::FilterMirror* mirror() const;
  /// How many have this block.
  [[nodiscard]] std::uint32_t reaching(chain::Height height) const;

  /// All filters should be renewed.
  void wear_out();
  /// Filters loaded before now lack a coin, but for the one under which it was found.
  void renew_others(FilterEpoch found);
  /// What is under way no longer counts, nor what is served under the present filters.
  void start_over();

 private:
  std::map<PeerId, Lane> lanes_;
};

}  // namespace spv::sync
