// The asking side of BlockScan: who is asked for what next, under which filter; and how it starts over.
#include <algorithm>

#include "sync/scan/block_scan.h"

namespace spv::sync {

std::vector<Conviction> BlockScan::pump(chain::Height last, bool replace_slow, util::Rng& rng, util::Now now,
                                        Outbox& out) {
  const bool draining = !turn_slices(last);
  if (slices_.active()) last = std::min(last, slices_.passes().last());
  if (draining) last = std::min(last, board_.end() - 1);
  settle_trial();
  if (asking_.leaves_matched()) board_.forget_matches();
  for (auto& [id, lane] : lanes_) ask_filter_headers(lane, last, rng, now, out);
  ask_for_trial(rng, now, out);
  limit_comparison(now);
  bool asked = true;
  while (asked) {
    asked = false;
    for (auto& [id, lane] : lanes_) {
      asked = ask_checks(lane, rng, now, out) || asked;
      if (!slices_.goes_on(board_.next())) continue;
      const chain::Height highest = std::min({last, lane.reach, asking_.farthest(lane)});
      asked = ask_matched(lane, highest, rng, now, out) || asked;
      asked = (asking_.scans_compact(lane) ? ask_filters(lane, highest, rng, now, out)
                                           : ask_some(lane, highest, rng, now, out)) ||
              asked;
    }
  }
  for (auto& [id, lane] : lanes_) {
    // Whoever has nothing to do gets the present filter at once: loose transactions are matched by it.
    const bool idle = !draining && board_.unasked(last) == 0 && !asking_.must_drain(lane);
    if (idle && lane.renews()) load_filter(lane, out);
    if (replace_slow && asking_.lags_too_long(lane, now)) trust_.convict(id, DisconnectReason::Stalled);
  }
  return trust_.take_convicted();
}

bool BlockScan::ask_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out) {
  if (asking_.lags(lane, now)) return false;
  // What two peers dispute the whole block decides, whoever sends it.
  CrossCheck& check = trust_.check();
  const auto disputed = check.disputed(lane.reach);
  if (!disputed.empty()) {
    check.asked(disputed, lane.pipe.request(disputed, BlockKind::Whole, rng.next(), now, out));
    return true;
  }
  if (!lane.use.filtered) return ask_filter_checks(lane, rng, now, out);
  const std::size_t allowed = asking_.window(lane, BlockKind::Filtered);
  const bool alone = lanes_.size() < 2 && !slices_.active();
  if (alone || asking_.must_drain(lane) || lane.pipe.in_flight() >= allowed) return false;
  const auto blocks = check.pick(lane.pipe.peer(), Asking::batch_of(allowed), lane.reach);
  if (blocks.empty()) return false;
  if (lane.renews()) load_filter(lane, out);
  check.asked(blocks, lane.pipe.request(blocks, BlockKind::Filtered, rng.next(), now, out));
  return true;
}

bool BlockScan::ask_some(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (!asking_.may_ask(lane) || asking_.lags(lane, now)) return false;
  const auto pick = asking_.choose(lane);
  if (!pick && asking_.is_useless(lane)) trust_.convict(lane.pipe.peer(), DisconnectReason::NoBloomFilters);
  const bool filtered = pick && pick->kind == BlockKind::Filtered;
  if (!pick || (filtered && asking_.must_drain(lane))) return false;
  const std::size_t allowed = asking_.window(lane, pick->kind);
  const bool renew = filtered && lane.renews();
  const std::size_t busy = renew ? 0 : filtered ? lane.pipe.in_flight_now() : lane.pipe.in_flight();
  const std::size_t batch = std::min(Asking::batch_of(allowed), pick->most);
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
  tally_.on_asked(heights.front());
  const util::TimePoint due = now.monotonic + lane.pipe.pace(kind).patience();
  board_.asked(heights, lane.pipe.request(batch, kind, rng.next(), now, out), due);
}

// --- filters ------------------------------------------------------------------------------------------------------

void BlockScan::load_filter(Lane& lane, Outbox& out) {
  if (keeper_.needs_plan(asking_.pace())) {
    position_.store();  // which spent outpoints are still watched depends on it
    const FilterSlices& passes = slices_.passes();
    const auto elements = passes.active() ? passes.elements() : watcher_.filter_elements();
    keeper_.plan(elements, watcher_.filter_identity(), passes.coins());
    slices_.on_planned(*keeper_.planned());
    asking_.pace().on_planned(*keeper_.planned());
  }
  lane.pipe.load_filter(keeper_.filter(), keeper_.begin_epoch(), out);
  lane.worn = lane.lacking = false;
  asking_.measure_room(lane);
}

void BlockScan::watch_inputs(const WatchEffect& effect) {
  for (const auto& seen : effect.seen) {
    const auto* tx = seen.height ? nullptr : watcher_.find(seen.txid);
    if (tx != nullptr) compact_.watch_inputs(*tx, seen.txid);
  }
  want_reload();
}

// More is watched than the filters hold.
void BlockScan::want_reload() {
  keeper_.plan_again();
  matcher_.renew();
  lanes_.wear_out();
}

// --- slices -------------------------------------------------------------------------------------------------------

// A pass that is through waits for the checks of what it found. False: what is under way must come before anything new
// is asked for.
bool BlockScan::turn_slices(chain::Height last) {
  // Who is left serves whole blocks alone, and may.
  if (slices_.active() && !lanes_.empty() && !lanes_.filters() && !asking_.may_slice()) start_over(position());
  if (slices_.active()) {
    if (slices_.goes_on(board_.next()) || !is_checked()) return true;
    end_pass();
    if (slices_.active()) return true;
  }
  if (!slices_.is_due(board_.next(), last) || !asking_.may_slice()) return true;
  if (board_.next() != board_.end() || !is_checked()) return false;
  begin_stretch(last);
  return true;
}

void BlockScan::begin_stretch(chain::Height last) {
  position_.store();  // which spent outpoints are still watched depends on it
  begin_at(board_.next());
  trust_.check().clear();  // what another was asked for under other filters cannot be compared
  slices_.begin(board_.next(), last, watcher_.filter_elements());
}

void BlockScan::end_pass() {
  begin_at(slices_.end_pass());
  trust_.check().clear();
}

// --- starting over ------------------------------------------------------------------------------------------------

// Scripts are watched now that were not when these blocks were asked for: all of them are owed a second look.
void BlockScan::rescan_below(chain::Height height, chain::Height widened_from) {
  tally_.on_rescan();
  // The block itself was asked for without them too. In the main pass it simply does not count as scanned.
  const chain::Height to = position_.owes() ? position_.counts_to() : height - 1;
  start_over(position_.owe(widened_from, to));
}

// Whoever has left something out once may have done so before: all that counts by its answers is looked at again.
void BlockScan::distrust(PeerId peer, DisconnectReason reason) {
  const auto served_from = trust_.distrust(peer, reason);
  if (!served_from) return;
  const chain::Height to = position_.counts_to();
  start_over(position_.owe(*served_from, to));
}

void BlockScan::on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  compact_.cut_above(fork.height);
  const bool nothing_asked_above =
      board_.end() <= fork.height + 1 && (!slices_.active() || slices_.passes().last() <= fork.height);
  if (fork.height < position_.scanned_to().height || !nothing_asked_above) return go_back_to(fork, now, out);
  // A block that is owed a second look may have confirmed something without counting as scanned.
  commits_.note(watcher_.on_disconnected_above(fork));
}

void BlockScan::go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  commits_.note(position_.go_back_to(fork));
  tally_.go_back_to(fork.height);
  // Outpoints spent long ago may be unspent again, and blocks under way belong to a chain that is gone.
  start_over(position_.first());
  flush(now, out);
}

// Goes back also to where it stands: a block above, owed a second look, may have confirmed something already.
void BlockScan::align(util::Now now, Outbox& out) {
  commits_.note(position_.align());
  go_back_to(position_.scanned_to(), now, out);
}

// All that is under way was asked for without something that is watched now, or on another chain.
void BlockScan::start_over(chain::Height first) {
  if (slices_.active()) trust_.check().clear();  // another filter matches other things
  slices_.clear();
  begin_at(first);
}

void BlockScan::begin_at(chain::Height first) {
  board_.restart(first);
  trust_.check().restart(first - 1);
  compact_.begin_at(first);
  compact_.renew();
  want_reload();
  lanes_.start_over();
}

}  // namespace spv::sync
