// BlockScan by compact filters: which headers, filters and blocks are asked for, and what is found out by comparing.
#include <algorithm>

#include "sync/scan/block_scan.h"

namespace spv::sync {
namespace {

/// In one getcfilters (BIP157).
constexpr std::size_t kMostFilters = 1'000;
/// Once all else is done filter headers are waited for this long, and so much longer for each answer that is due.
constexpr util::Duration kCompareTime = std::chrono::seconds(10);
constexpr util::Duration kAnswerTime = std::chrono::seconds(1);

}  // namespace

// --- messages -------------------------------------------------------------------------------------------------------

ScanStep BlockScan::on(PeerId peer, const p2p::CFilter& message, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  compact_.headers().note_progress(peer, now);
  const bool tried = compact_.trial().on_filter(peer, message, compact_.headers());
  // A trial asks beside the lane, and its answer may come before that to a range which holds the block too.
  const bool beside = !lane.pipe.expects_filter_of(message.block) && compact_.trial().excuses(peer, message.block);
  const LaneStep step = beside ? LaneStep{} : lane.pipe.on(message, now);
  if (step.fault) return {.fault = step.fault};
  if (!step.taken && !beside) return {};
  // It is not the one that the peer's own headers name.
  if (compact_.trial().waits_for(peer, message.block)) return {.fault = DisconnectReason::BadFilter, .taken = true};
  if (tried) settle_trial();
  if (!step.taken) return {.taken = true, .convicted = trust_.take_convicted()};
  asking_.pace().on_compact_filter(message.filter.size());
  tally_.on_compact_filter(lane.use.local);
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const p2p::CFHeaders& message) {
  const auto step = compact_.headers().on(peer, message);
  FilterTrial& trial = compact_.trial();
  if (step.difference && !trial.is_on()) {
    trial.begin(*step.difference, {step.difference->height, *chain_.hash_at(step.difference->height)});
  }
  for (const chain::Height height : compact_.take_confirmed()) {
    position_.attest_by_two(height);
    trust_.on_cross_checked();
  }
  return {.fault = step.fault, .taken = step.taken};
}

// --- asking ---------------------------------------------------------------------------------------------------------

// Nearly as far as filters may be asked for, and as many as one answer holds.
void BlockScan::ask_filter_headers(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (!asking_.uses_compact(lane)) return;
  FilterHeaders& headers = compact_.headers();
  const PeerId peer = lane.pipe.peer();
  if (const auto due = headers.deadline(peer); due && now.monotonic >= *due && has_other_use(lane)) {
    return give_up_filters(lane);
  }
  const chain::Height next = headers.reach(peer) + 1;
  // It would only meet the same difference.
  if (compact_.trial().is_on() && next == compact_.trial().block().height) last = next - 1;
  const auto batch = static_cast<chain::Height>(p2p::kMaxFilterHeaders);
  last = std::min(last, lane.reach);
  const chain::Height ahead = board_.next() + ScanBoard::kMaxAhead;
  if (last > ahead + batch && next > ahead) last = next - 1;
  headers.ask(peer, last, rng.next(), now, out);
}

bool BlockScan::ask_filters(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (asking_.lags(lane, now)) return false;
  last = std::min(last, compact_.headers().reach(lane.pipe.peer()));
  const std::size_t allowed = asking_.window(lane, BlockKind::Compact);
  const std::size_t busy = lane.pipe.in_flight(BlockKind::Compact);
  if (busy >= allowed || lane.pipe.in_flight() >= ScanWindow::kMaxBlocks) return false;
  const std::size_t batch = std::clamp<std::size_t>(allowed / 2, 1, kMostFilters);
  if (busy + batch > allowed && board_.unasked(last) > allowed - busy) return false;
  const auto heights = board_.pick_range(lane.pipe.peer(), std::min(batch, allowed - busy), last, now);
  if (heights.empty()) return false;
  request(lane, heights, BlockKind::Compact, rng, now, out);
  return true;
}

bool BlockScan::ask_matched(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (asking_.lags(lane, now)) return false;
  const std::size_t allowed = asking_.window(lane, BlockKind::Whole);
  const std::size_t busy = lane.pipe.in_flight(BlockKind::Whole);
  const std::size_t room = busy >= allowed ? 0 : std::min(allowed - busy, asking_.matched_allowance(lane));
  if (room == 0) return false;
  const auto heights = board_.pick_matched(lane.pipe.peer(), room, last, now);
  if (heights.empty()) return false;
  request(lane, heights, BlockKind::Whole, rng, now, out);
  return true;
}

// What others have served by our bloom filter is compared with the compact filters of one that has none.
bool BlockScan::ask_filter_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out) {
  if (!asking_.checks_compact(lane)) return false;
  const std::size_t allowed = asking_.window(lane, BlockKind::Compact);
  const std::size_t busy = lane.pipe.in_flight(BlockKind::Compact);
  if (busy >= allowed) return false;
  const chain::Height last = std::min(lane.reach, compact_.headers().reach(lane.pipe.peer()));
  auto blocks = trust_.check().pick(lane.pipe.peer(), std::min(allowed - busy, kMostFilters), last);
  std::size_t length = std::min<std::size_t>(blocks.size(), 1);
  while (length < blocks.size() && blocks[length].height == blocks[length - 1].height + 1) ++length;
  blocks.resize(length);
  if (blocks.empty()) return false;
  trust_.check().asked(blocks, lane.pipe.request(blocks, BlockKind::Compact, rng.next(), now, out));
  return true;
}

bool BlockScan::has_other_use(const Lane& lane) const {
  return lane.use.filtered || (lane.use.local && asking_.source().mode == SourceMode::Auto);
}

// --- what differs ---------------------------------------------------------------------------------------------------

void BlockScan::ask_for_trial(util::Rng& rng, util::Now now, Outbox& out) {
  FilterTrial& trial = compact_.trial();
  if (!trial.is_on()) return;
  const chain::BlockRef block = trial.block();
  const auto ask = [&](PeerId peer, FilterTrial::Wanted& wanted) {
    if (wanted.asked != 0) return;
    trial.on_asked(peer, wanted, now);
    out.send(peer, p2p::GetCFilters{{bip158::kBasicType, static_cast<std::uint32_t>(block.height), block.hash}});
  };
  for (auto& [id, lane] : lanes_) {
    if (id == trial.difference().peer) ask(id, trial.theirs);
    if (id != trial.difference().peer && compact_.headers().vouches(id, block.height)) ask(id, trial.ours);
    if (trial.body.asked != 0 || lane.reach < block.height) continue;
    trial.body.asked = id;
    lane.pipe.request({block}, BlockKind::Whole, rng.next(), now, out);
  }
  for (const auto* wanted : {&trial.theirs, &trial.ours}) {
    const bool late = wanted->asked != 0 && !wanted->came && now.monotonic >= wanted->due;
    if (late) trust_.convict(wanted->asked, DisconnectReason::Stalled);
  }
}

void BlockScan::settle_trial() {
  FilterTrial& trial = compact_.trial();
  if (!trial.is_on()) return;
  const chain::Height height = trial.block().height;
  const auto verdict = trial.verdict(!compact_.headers().vouching(height).empty());
  if (!verdict) return;
  const FilterDifference difference = trial.difference();
  const bool news = trial.brought_news();
  trial.end();
  if (compare_until_) *compare_until_ += kAnswerTime;  // whoever lies must not gain time by many small lies
  if (verdict->theirs_false) distrust(difference.peer, DisconnectReason::FalseFilter);
  if (verdict->ours_false) return refute_filter(height, DisconnectReason::FalseFilter);
  if (verdict->theirs_false) return;
  // Nothing that we can see tells which of the two is true.
  compact_.doubt(height);
  board_.doubt(height);
  if (!compact_.headers().pass_over(difference)) {
    // One of the two sides would have us do so for every block, and nobody can tell which one.
    trust_.convict(difference.peer, DisconnectReason::FiltersDisputed);
    return refute_filter(height, DisconnectReason::FiltersDisputed);
  }
  // What is scanned already stands unless the block itself says otherwise: a filter that leaves out a script of ours
  // has just been found out.
  if (news && height < board_.next()) start_over(position_.owe(height, position_.counts_to()));
}

bool BlockScan::holds_news(const p2p::Block& message) {
  const auto matches = matcher_.fresh().match(message.header, message.body, false);
  return matches && std::ranges::any_of(matches->matched, [this](const ProvenTransaction& proven) {
           return watcher_.is_relevant(proven.tx) && watcher_.find(proven.txid) == nullptr;
         });
}

// The filter that our headers name leaves out what is in the block, or may: whoever has sent that header must go, and
// all that was scanned by filters from there on is looked at again.
void BlockScan::refute_filter(chain::Height height, DisconnectReason reason) {
  chain::Height lowest = height;
  for (const PeerId peer : compact_.headers().vouching(height)) {
    const auto served_from = trust_.distrust(peer, reason);
    if (served_from) lowest = std::min(lowest, *served_from);
  }
  compact_.cut_above(height - 1);
  start_over(position_.owe(lowest, position_.counts_to()));
}

// Where several peers have filters, each has sent the headers of all blocks.
bool BlockScan::are_filters_compared() const {
  if (compact_.trial().is_on()) return false;
  return compact_.headers().peers() < 2 || !lanes_.any([this](const Lane& lane) { return owes_headers(lane); });
}

bool BlockScan::owes_headers(const Lane& lane) const {
  return asking_.uses_compact(lane) &&
         compact_.headers().reach(lane.pipe.peer()) < std::min(lane.reach, chain_.height());
}

// All is scanned, and only filter headers are still compared. Whoever sends them so slowly that this takes much longer
// than it must is left, as is whoever a trial waits for.
void BlockScan::limit_comparison(util::Now now) {
  const bool scanned = board_.next() > chain_.height() && !position_.owes() && !slices_.active();
  if (!scanned || are_filters_compared()) return compare_until_.reset();
  if (!compare_until_) {
    chain::Height missing = 0;
    for (const auto& [id, lane] : lanes_) {
      if (owes_headers(lane)) missing = std::max(missing, chain_.height() - compact_.headers().reach(id));
    }
    const auto answers = missing / static_cast<chain::Height>(p2p::kMaxFilterHeaders) + 1;
    compare_until_ = now.monotonic + kCompareTime + answers * kAnswerTime;
  }
  if (now.monotonic < *compare_until_) return;
  compare_until_.reset();
  const std::optional<PeerId> tried =
      compact_.trial().is_on() ? std::optional(compact_.trial().difference().peer) : std::nullopt;
  for (auto& [id, lane] : lanes_) {
    if (id == tried || owes_headers(lane)) give_up_filters(lane);
  }
}

void BlockScan::give_up_filters(Lane& lane) {
  if (!has_other_use(lane)) return trust_.convict(lane.pipe.peer(), DisconnectReason::Stalled);
  lane.use.compact = false;
  compact_.headers().remove(lane.pipe.peer());
  compact_.trial().lost(lane.pipe.peer());
}

}  // namespace spv::sync
