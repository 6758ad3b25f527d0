// The asking side of BlockScan: whom to ask for which blocks, how many at once, and under which filter.
#include <algorithm>

#include "sync/scan/block_scan.h"

namespace spv::sync {
namespace {

/// A peer that goes on alone may have this much more under way than one of several.
constexpr std::size_t kAlone = 4;
/// A peer that lags for so long is replaced, where others are known.
constexpr util::Duration kLongestLag = std::chrono::seconds(10);

// A batch costs a fence, and what is under way when it is answered must last until the next one arrives.
std::size_t batch_of(std::size_t window) {
  constexpr std::size_t kSmall = 16;
  return std::clamp<std::size_t>(window / (window < kSmall ? 2 : 4), 1, BlockScan::kBatchBlocks);
}

}  // namespace

std::vector<Conviction> BlockScan::pump(chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  const bool draining = !turn_slices(last);
  if (slices_.active()) last = std::min(last, slices_.last());
  if (draining) last = std::min(last, board_.end() - 1);
  bool asked = true;
  while (asked) {
    asked = false;
    for (auto& [id, lane] : lanes_) {
      asked = ask_checks(lane, rng, now, out) || asked;
      if (!may_go_on()) continue;
      asked = ask_some(lane, std::min({last, lane.reach, farthest()}), rng, now, out) || asked;
    }
  }
  // Whoever has nothing to do gets the present filter at once: loose transactions are matched by it.
  for (auto& [id, lane] : lanes_) {
    const bool idle = !draining && board_.unasked(last) == 0 && !must_drain(lane);
    if (idle && lane.renews()) load_filter(lane, out);
  }
  return std::exchange(convictions_, {});
}

// Where peers get into each other's way, one goes on alone: it has every coin that it has served itself.
bool BlockScan::may_ask(const Lane& lane) const {
  if (!contention_.crowded()) return true;
  const auto leads = [this](const auto& item) { return item.second.reach >= board_.next() && can_serve(item.second); };
  const auto lead = std::find_if(lanes_.begin(), lanes_.end(), leads);
  return lead != lanes_.end() && &lane == &lead->second;
}

// Slices are looked for by filters alone. Who may be asked for no more whole blocks for now still serves.
bool BlockScan::can_serve(const Lane& lane) const { return lane.use.filtered || !slices_.active(); }

// A coin in what still comes under the filter before the present one is not in the latter.
bool BlockScan::is_between_filters(const Lane& lane) const {
  return lane.pipe.in_flight() > (lane.renews() ? 0 : lane.pipe.in_flight_now());
}

// One peer alone is kept as busy as the filter allows. With several, all that is under way elsewhere when a coin is
// found must be asked for again, so no more than keeps each of them busy; and where coins are many, only just. The same
// holds for one peer between two filters.
std::size_t BlockScan::window(const Lane& lane, BlockKind kind) const {
  const auto depth = lane.pipe.pace(kind).depth();
  const std::size_t room = kind == BlockKind::Whole ? window_.whole_blocks(depth ? depth->least : 0) : lane.room;
  if (lanes_.size() == 1 && !company_ && (kind == BlockKind::Whole || !is_between_filters(lane))) return room;
  if (!depth) return std::min(room, ScanWindow::kFirstBlocks);
  if (contention_.crowded()) return std::min(room, depth->ample * kAlone);
  const double bearable = std::min(contention_.bearable_blocks(), static_cast<double>(depth->ample));
  return std::min(room, std::max(depth->least, static_cast<std::size_t>(bearable)));
}

// How many whole blocks this peer may be asked for: beyond the local network none that could pass the limit.
std::size_t BlockScan::whole_allowance(const Lane& lane) const {
  // A whole block is matched by what was applied before it, and in the midst of a stretch much is not.
  if (source_.mode == SourceMode::Filter || slices_.active()) return 0;
  if (source_.mode == SourceMode::Blocks || lane.use.local) return SIZE_MAX;
  std::uint64_t under_way = 0;
  for (const auto& [id, other] : lanes_) under_way += other.use.local ? 0 : other.pipe.in_flight(BlockKind::Whole);
  const std::uint64_t spoken_for = downloaded_ + under_way * p2p::kMaxPayloadBytes;
  return spoken_for >= source_.max_download ? 0 : (source_.max_download - spoken_for) / p2p::kMaxPayloadBytes;
}

std::optional<SourceChoice::Pick> BlockScan::choose(Lane& lane) {
  const std::size_t allowance = whole_allowance(lane);
  if (allowance == 0 && !lane.use.filtered) {
    // One near by may serve whole blocks again once the stretch is done.
    const bool may_yet = slices_.active() && lane.use.local;
    if (lane.pipe.in_flight() == 0 && !may_yet)
      convictions_.push_back({lane.pipe.peer(), DisconnectReason::NoBloomFilters});
    return std::nullopt;
  }
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
chain::Height BlockScan::farthest() const {
  if (lanes_.size() == 1) return board_.next() + ScanBoard::kMaxAhead;
  std::size_t busy = 0;
  for (const auto& [id, lane] : lanes_) {
    busy += std::max(window(lane, BlockKind::Filtered), window(lane, BlockKind::Whole));
  }
  const double ahead = std::max(contention_.calm_blocks(), static_cast<double>(busy));
  return board_.next() + static_cast<chain::Height>(std::min(ahead, static_cast<double>(ScanBoard::kMaxAhead)));
}

void BlockScan::measure_room(Lane& lane) const {
  if (!lane.pipe.has_filter()) return;
  lane.room = window_.blocks(lane.pipe.mirror());
  if (window_.is_used_up(lane.pipe.mirror())) lane.worn = true;
}

// Whoever was late once gets nothing more until it has served all that it owes: by then it is known how quick it is.
bool BlockScan::lags(Lane& lane, util::Now now) {
  if (lanes_.size() == 1) return lane.pipe.is_late(now);
  if (lane.pipe.in_flight() == 0) lane.lags_since.reset();
  if (!lane.lags_since && lane.pipe.is_late(now)) lane.lags_since = now.monotonic;
  if (!lane.lags_since) return false;
  const bool replace = replace_slow_ && now.monotonic >= *lane.lags_since + kLongestLag;
  if (replace) convictions_.push_back({lane.pipe.peer(), DisconnectReason::Stalled});
  return true;
}

// A coin in what is under way would not be in a filter that is made now: better wait for it, unless that is unlikely.
bool BlockScan::must_drain(const Lane& lane) const {
  const std::size_t under_way = lane.pipe.in_flight();
  return lane.renews() && !lane.lacking && under_way > 0 && !contention_.is_calm(under_way);
}

bool BlockScan::ask_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out) {
  if (lags(lane, now)) return false;
  // What two peers dispute the whole block decides, whoever sends it.
  const auto disputed = check_.disputed(lane.reach);
  if (!disputed.empty()) {
    check_.asked(disputed, lane.pipe.request(disputed, BlockKind::Whole, rng.next(), now, out));
    return true;
  }
  if (!lane.use.filtered) return false;
  const std::size_t allowed = window(lane, BlockKind::Filtered);
  if ((lanes_.size() < 2 && !slices_.active()) || must_drain(lane) || lane.pipe.in_flight() >= allowed) return false;
  const auto blocks = check_.pick(lane.pipe.peer(), batch_of(allowed), lane.reach);
  if (blocks.empty()) return false;
  if (lane.renews()) load_filter(lane, out);
  check_.asked(blocks, lane.pipe.request(blocks, BlockKind::Filtered, rng.next(), now, out));
  return true;
}

bool BlockScan::ask_some(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (!may_ask(lane) || lags(lane, now)) return false;
  const auto pick = choose(lane);
  const bool filtered = pick && pick->kind == BlockKind::Filtered;
  if (!pick || (filtered && must_drain(lane))) return false;
  const std::size_t allowed = window(lane, pick->kind);
  const bool renew = filtered && lane.renews();
  const std::size_t busy = renew ? 0 : filtered ? lane.pipe.in_flight_now() : lane.pipe.in_flight();
  const std::size_t batch = std::min(batch_of(allowed), pick->most);
  if (busy >= allowed || lane.pipe.in_flight() >= ScanWindow::kMaxBlocks) return false;
  // Small top-ups would cost a fence each: wait until a whole batch fits, unless this is the end.
  if (busy + batch > allowed && board_.unasked(last) > allowed - busy) return false;
  const auto heights = board_.pick(lane.pipe.peer(), batch, last, now);
  if (heights.empty()) return false;
  if (renew) load_filter(lane, out);
  lane.choice.on_asked(pick->kind, heights.size());
  request(lane, heights, pick->kind, rng, now, out);
  return true;
}

void BlockScan::request(Lane& lane, const std::vector<chain::Height>& heights, BlockKind kind, util::Rng& rng,
                        util::Now now, Outbox& out) {
  std::vector<chain::BlockRef> batch;
  batch.reserve(heights.size());
  for (const chain::Height height : heights) batch.push_back({height, *chain_.hash_at(height)});
  if (counters_.scanned_from < 0 || heights.front() < counters_.scanned_from) counters_.scanned_from = heights.front();
  const util::TimePoint due = now.monotonic + lane.pipe.pace(kind).patience();
  board_.asked(heights, lane.pipe.request(batch, kind, rng.next(), now, out), due);
}

}  // namespace spv::sync
