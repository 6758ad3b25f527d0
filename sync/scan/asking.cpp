#include "sync/scan/asking.h"

#include <algorithm>

namespace spv::sync {
namespace {

/// A peer that goes on alone may have this much more under way than one of several.
constexpr std::size_t kAlone = 4;
/// A peer that lags for so long is replaced, where others are known.
constexpr util::Duration kLongestLag = std::chrono::seconds(10);

}  // namespace

// A batch costs a fence, and what is under way when it is answered must last until the next one arrives.
std::size_t Asking::batch_of(std::size_t window) {
  constexpr std::size_t kSmall = 16;
  return std::clamp<std::size_t>(window / (window < kSmall ? 2 : 4), 1, kBatchBlocks);
}

bool Asking::may_ask(const Lane& lane) const {
  if (!contention_.crowded()) return true;
  const auto is_lead = [this](const auto& item) { return has_next(item.second) && may_scan(item.second); };
  const auto lead = std::ranges::find_if(lanes_, is_lead);
  return lead != lanes_.end() && &lane == &lead->second;
}

// A coin in what still comes under the filter before the present one is not in the latter.
bool Asking::is_between_filters(const Lane& lane) {
  return lane.pipe.in_flight() > (lane.renews() ? 0 : lane.pipe.in_flight_now());
}

// One peer alone is kept as busy as the filter allows. With several, all that is under way elsewhere when a coin is
// found must be asked for again, so no more than keeps each of them busy; and where coins are many, only just. The same
// holds for one peer between two filters.
std::size_t Asking::window(const Lane& lane, BlockKind kind) const {
  if (kind == BlockKind::Compact) return window_.compact_filters();
  const auto depth = lane.pipe.pace(kind).depth();
  const std::size_t room = kind == BlockKind::Whole ? window_.whole_blocks(depth ? depth->least : 0) : lane.room;
  if (lanes_.size() == 1 && !company_ && (kind == BlockKind::Whole || !is_between_filters(lane))) return room;
  if (!depth) return std::min(room, ScanWindow::kFirstBlocks);
  if (contention_.crowded()) return std::min(room, depth->ample * kAlone);
  const double bearable = std::min(contention_.bearable_blocks(), static_cast<double>(depth->ample));
  return std::min(room, std::max(depth->least, static_cast<std::size_t>(bearable)));
}

// How many whole blocks this peer may be asked for: beyond the local network none that could pass the limit.
std::size_t Asking::whole_allowance(const Lane& lane) const {
  // A whole block is matched by what was applied before it, and in the midst of a stretch much is not.
  const bool wanted = source_.mode == SourceMode::Blocks || source_.mode == SourceMode::Auto;
  if (!wanted || slices_.active()) return 0;
  if (source_.mode == SourceMode::Blocks || lane.use.local) return SIZE_MAX;
  std::uint64_t under_way = 0;
  for (const auto& [id, other] : lanes_) under_way += other.use.local ? 0 : other.pipe.in_flight(BlockKind::Whole);
  const std::uint64_t spoken_for = downloaded_ + under_way * p2p::kMaxPayloadBytes;
  return spoken_for >= source_.max_download ? 0 : (source_.max_download - spoken_for) / p2p::kMaxPayloadBytes;
}

std::size_t Asking::matched_allowance(const Lane& lane) const {
  return limits_matched() ? whole_allowance(lane) : SIZE_MAX;
}

bool Asking::may_bring_next(const Lane& lane) const {
  if (board_.is_next_matched()) return matched_allowance(lane) > 0;
  return may_scan(lane);
}

bool Asking::may_scan(const Lane& lane) const {
  return lane.use.filtered || scans_compact(lane) || whole_allowance(lane) > 0;
}

bool Asking::leaves_matched() const {
  return lanes_.filters() && !lanes_.any([this](const Lane& lane) { return may_fetch(lane); });
}

bool Asking::is_useless(const Lane& lane) const {
  if (lane.use.filtered || whole_allowance(lane) > 0 || lane.pipe.in_flight() > 0) return false;
  if (lane.use.compact && (lanes_.filters() || may_fetch(lane))) return false;
  // What others have under way may turn out to be smaller than it could be.
  if (source_.mode == SourceMode::Auto && takes_more()) return false;
  // One near by may serve whole blocks again once the stretch is done.
  return !slices_.active() || !lane.use.local;
}

std::optional<SourceChoice::Pick> Asking::choose(Lane& lane) const {
  const std::size_t allowance = whole_allowance(lane);
  if (allowance == 0 && !lane.use.filtered) return std::nullopt;
  const auto& filtered = lane.pipe.pace(BlockKind::Filtered);
  const auto& whole = lane.pipe.pace(BlockKind::Whole);
  auto pick = lane.choice.pick(filtered, whole, allowance > 0);
  if (lane.choice.is_trial_due()) {
    const auto other = pick.kind == BlockKind::Whole ? BlockKind::Filtered : BlockKind::Whole;
    lane.pipe.forget_pace(other);
    lane.choice.begin_trial(other);
    pick = lane.choice.pick(filtered, whole, allowance > 0);
  }
  if (pick.kind == BlockKind::Whole) pick.most = std::min(pick.most, allowance);
  return pick;
}

// What was answered above a coin is lost with it, so where coins are many nobody runs far ahead of the others.
chain::Height Asking::farthest(const Lane& lane) const {
  if (lanes_.size() == 1 || scans_compact(lane)) return board_.next() + ScanBoard::kMaxAhead;
  std::size_t busy = 0;
  for (const auto& [id, other] : lanes_) {
    busy += std::max(window(other, BlockKind::Filtered), window(other, BlockKind::Whole));
  }
  const double ahead = std::max(contention_.calm_blocks(), static_cast<double>(busy));
  return board_.next() + static_cast<chain::Height>(std::min(ahead, static_cast<double>(ScanBoard::kMaxAhead)));
}

void Asking::measure_room(Lane& lane) const {
  if (!lane.pipe.has_filter()) return;
  lane.room = window_.blocks(lane.pipe.mirror());
  if (window_.is_used_up(lane.pipe.mirror())) lane.worn = true;
}

bool Asking::lags(Lane& lane, util::Now now) const {
  const bool alone = lanes_.size() == 1;
  // Alone it is asked for more before it has served all that it owes: what was late before says nothing then.
  if (alone || lane.pipe.in_flight() == 0) lane.lags_since.reset();
  if (alone) return lane.pipe.is_late(now);
  if (!lane.lags_since && lane.pipe.is_late(now)) lane.lags_since = now.monotonic;
  return lane.lags_since.has_value();
}

bool Asking::lags_too_long(const Lane& lane, util::Now now) const {
  return lanes_.size() > 1 && lane.lags_since && now.monotonic >= *lane.lags_since + kLongestLag;
}

// Unless a coin in what is under way is unlikely.
bool Asking::must_drain(const Lane& lane) const {
  const std::size_t under_way = lane.pipe.in_flight();
  return lane.renews() && !lane.lacking && under_way > 0 && !contention_.is_calm(under_way);
}

// Whole blocks are matched by any number of scripts: as long as they may be taken there is no need.
bool Asking::may_slice() const {
  if (lanes_.any([this](const Lane& lane) { return prefers_compact(lane); })) return false;
  if (source_.mode != SourceMode::Auto) return source_.mode == SourceMode::Filter;
  return !takes_more() && !lanes_.any([](const Lane& lane) { return lane.use.local; });
}

}  // namespace spv::sync
