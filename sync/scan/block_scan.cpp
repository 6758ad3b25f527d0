#include "sync/scan/block_scan.h"

#include <algorithm>

namespace spv::sync {
namespace {

/// More than this in one commit costs more in merging than a commit does.
constexpr std::size_t kMaxPendingTransactions = 500;

/// The lower of those that there are.
std::optional<chain::Height> lower_of(std::optional<chain::Height> a, std::optional<chain::Height> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

BlockScan::BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate, CrossCheck check,
                     SourceOptions source, util::Rng rng)
    : chain_(chain),
      watcher_(watcher),
      fp_rate_(fp_rate),
      slice_capacity_(std::min(bip37::filter_capacity(fp_rate), source.most_elements)),
      source_(source),
      matcher_(rng),
      check_(std::move(check)) {
  take_position();
}

void BlockScan::add_lane(PeerId peer, bool strict, LaneUse use, Outbox& out) {
  Lane fresh{.pipe = ScanLane(peer, strict), .use = use, .choice = SourceChoice(source_.mode, use.filtered)};
  Lane& lane = lanes_.emplace(peer, std::move(fresh)).first->second;
  if (use.filtered) load_filter(lane, out);
}

void BlockScan::remove_lane(PeerId peer) {
  if (lanes_.erase(peer) == 0) return;
  board_.lost(peer);
  check_.lost(peer);
}

void BlockScan::set_reach(PeerId peer, chain::Height height) { lanes_.at(peer).reach = height; }

bool BlockScan::can_go_on() const {
  const auto has_next = [this](const auto& item) {
    return item.second.reach >= board_.next() && can_serve(item.second);
  };
  return board_.next() > chain_.height() || std::any_of(lanes_.begin(), lanes_.end(), has_next);
}

bool BlockScan::filters() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& item) { return item.second.use.filtered; });
}

const bip37::FilterMirror* BlockScan::mirror() const {
  const auto has = [](const auto& item) { return item.second.pipe.has_filter(); };
  const auto lane = std::find_if(lanes_.begin(), lanes_.end(), has);
  return lane == lanes_.end() ? nullptr : &lane->second.pipe.mirror();
}

void BlockScan::plan_again() {
  known_.reset();
  watched_stale_ = true;
  for (auto& [id, lane] : lanes_) lane.worn = true;
}

// Coins of blocks that wait for their turn are not the wallet's yet; what misses them is asked for again.
void BlockScan::refresh_watched() {
  if (!watched_stale_) return;
  store_position();  // which spent outpoints are still watched depends on it
  matcher_.watch(watcher_.watched_scripts(), watcher_.watched_outpoints());
  watched_stale_ = false;
}

void BlockScan::load_filter(Lane& lane, Outbox& out) {
  if (!known_ || window_.is_worn(*known_)) {
    store_position();  // which spent outpoints are still watched depends on it
    const auto elements = slices_.active() ? slices_.elements() : watcher_.filter_elements();
    const auto identity = watcher_.filter_identity();
    filter_ = bip37::plan_filter(elements, fp_rate_, identity.tweak, identity.decoy_seed, bip37::UpdateFlags::All);
    bip37::BloomFilter filter = filter_->filter;
    if (slices_.active()) {
      slices_.on_planned(filter);
      for (const auto& coin : slices_.coins()) filter.insert(coin.bytes());
    } else {
      const bool fits = !filter_->capped && filter_->elements <= source_.most_elements;
      slice_count_ = fits ? 1 : static_cast<chain::Height>(filter_->elements / slice_capacity_ + 1);
    }
    known_.emplace(std::move(filter));
    seen_ahead_.clear();  // the plan does not hold them
    planned_at_ = last_epoch_ + 1;
    window_.on_planned(*filter_);
  }
  lane.pipe.load_filter(known_->filter(), ++last_epoch_, out);
  lane.worn = lane.lacking = false;
  measure_room(lane);
}

// All that is under way was asked for without something that is watched now, or on another chain.
void BlockScan::start_over(chain::Height first) {
  if (slices_.active()) check_.clear();  // another filter matches other things
  slices_.clear();
  board_.restart(first);
  check_.restart(first - 1);
  plan_again();
  for (auto& [id, lane] : lanes_) {
    lane.pipe.forget_requests();
    lane.lacking = true;
  }
}

ScanStep BlockScan::on(PeerId peer, const p2p::MerkleBlock& message, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const auto before = lane.pipe.blocks_received(BlockKind::Filtered);
  if (const auto fault = lane.pipe.on(message, now)) return {.fault = fault};
  counters_.merkleblocks += lane.pipe.blocks_received(BlockKind::Filtered) - before;
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const p2p::Block& message, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const std::size_t bytes = chain::BlockHeader::kSize + message.body.size();
  if (!lane.use.local) downloaded_ += bytes;
  refresh_watched();
  const LaneStep step = lane.pipe.on(message, matcher_, board_.next(), now);
  if (step.fault || !step.taken) return {.fault = step.fault, .taken = step.taken};
  ++counters_.blocks;
  window_.on_whole_block(bytes);
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const p2p::Pong& message, const ScanLane::KnownTransactions& known, util::Now now,
                       Outbox& out) {
  Lane& lane = lanes_.at(peer);
  if (const auto fault = lane.pipe.on(message, known, now)) return {.fault = fault};
  measure_room(lane);
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const LaneStep step = lane.pipe.on(tx, txid, now);
  if (step.fault || !step.taken) return {.fault = step.fault, .taken = step.taken};
  return drain(lane, now, out);
}

bool BlockScan::excuses(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid) {
  const auto lane = lanes_.find(peer);
  return lane != lanes_.end() && lane->second.pipe.excuses(tx, txid);
}

ScanStep BlockScan::drain(Lane& lane, util::Now now, Outbox& out) {
  const auto relevant = relevant_.size();
  applied_ = false;
  const auto fault = deliver(lane, now, out);
  return {.fault = fault,
          .taken = true,
          .found = relevant_.size() != relevant,
          .applied = applied_,
          .convicted = std::exchange(convictions_, {})};
}

std::optional<DisconnectReason> BlockScan::deliver(Lane& lane, util::Now now, Outbox& out) {
  while (auto block = lane.pipe.take()) {
    if (lane.pipe.ignores_filter()) return DisconnectReason::UnmatchedTransactions;
    window_.on_block(block->transactions);
    if (!block->matched.empty()) measure_room(lane);
    if (check_.wants(*block)) {
      on_checked(*block);
    } else {
      learn_ahead(*block);
      board_.answered(std::move(*block));
    }
  }
  while (auto next = next_block()) {
    const chain::Height height = next->block.height;
    if (slices_.holds()) {
      hold(std::move(*next));
    } else {
      apply(*next, now, out);
    }
    if (slices_.active()) slices_.on_block(height);
  }
  return std::nullopt;
}

std::optional<ScannedBlock> BlockScan::next_block() {
  if (slices_.active() && board_.next() > slices_.last()) return std::nullopt;
  return board_.take();
}

// The wallet hears of it with the last pass.
void BlockScan::hold(ScannedBlock block) {
  applied_ = true;
  Effect effect;
  effect.found_before = slices_.has_found(block.block.height);
  for (const auto& proven : block.matched) {
    if (watcher_.is_relevant(proven.tx)) learn(proven, effect);
    if (is_ours(proven)) effect.ours.push_back(proven.txid);
  }
  note_server(block, effect);
  // A spend of another slice's coin that matched by chance is found in that slice's pass.
  const auto is_stranger = [this](const ProvenTransaction& proven) {
    return !watcher_.is_relevant(proven.tx) && !slices_.spends_coin(proven.tx);
  };
  const std::size_t strangers = std::erase_if(block.matched, is_stranger);
  if (block.block.height > counted_to_) counters_.false_positives += strangers;
  slices_.hold(std::move(block));
}

void BlockScan::apply(const ScannedBlock& block, util::Now now, Outbox& out) {
  applied_ = true;
  std::vector<FilterSlices::Part> parts = slices_.take(block.block.height);
  std::optional<chain::Height> widened_from;
  for (const auto& part : parts) {
    Effect of_part;  // its coins were learnt in its own pass
    for (const auto& proven : part.block.matched) confirm(proven, part.block, now, of_part);
    widened_from = lower_of(widened_from, of_part.widened_from);
  }
  Effect effect = apply_transactions(block, now);
  effect.found_before = !parts.empty();
  count(block);
  widened_from = lower_of(widened_from, effect.widened_from);
  if (widened_from) return rescan_below(block.block.height, *widened_from);
  note_server(block, effect);
  if (slices_.active() && !(parts.empty() && block.matched.empty())) {
    parts.push_back({slices_.pass(), block});
    if (has_gap(parts)) slices_.cut(block.block.height);
  }
  advance(block.block);
  const bool at_tip = block.block.height == chain_.height() && !backfill_;
  const bool due = !last_commit_ || now.monotonic - *last_commit_ >= kCommitInterval;
  if (at_tip || due || untold_.size() >= kMaxPendingTransactions) flush(now, out);
}

// True if a transaction of ours was left out in a pass that must have matched it: there nobody looked for its coins
// above, so that what lies above is to be asked for again, with these among the elements.
bool BlockScan::has_gap(const std::vector<FilterSlices::Part>& parts) const {
  std::map<chain::Txid, std::set<std::size_t>> passes;
  for (const auto& part : parts) {
    for (const auto& proven : part.block.matched) passes[proven.txid].insert(part.pass);
  }
  const auto is_gap = [&](const ProvenTransaction& proven) {
    return watcher_.is_relevant(proven.tx) && slices_.was_left_out(proven, passes.at(proven.txid));
  };
  return std::ranges::any_of(parts, [&](const auto& part) { return std::ranges::any_of(part.block.matched, is_gap); });
}

void BlockScan::note_server(const ScannedBlock& block, const Effect& effect) {
  if (effect.held_from || !effect.coins.empty()) on_coin(block, effect);
  contention_.on_block(effect.held_from && filters());
  // A whole block hides nothing: its peer need not be believed.
  if (block.request.kind == BlockKind::Whole) return attested_whole_.push_back(block.block.height);
  const auto served = served_from_.try_emplace(block.request.peer, block.block.height).first;
  served->second = std::min(served->second, block.block.height);
  check_.on_applied(block, effect.ours, effect.found_before);
}

BlockScan::Effect BlockScan::apply_transactions(const ScannedBlock& block, util::Now now) {
  Effect effect;
  for (const auto& proven : block.matched) {
    if (!confirm(proven, block, now, effect)) continue;
    learn(proven, effect);
    if (is_ours(proven)) effect.ours.push_back(proven.txid);
  }
  return effect;
}

// False if it is a stranger's.
bool BlockScan::confirm(const ProvenTransaction& proven, const ScannedBlock& block, util::Now now, Effect& effect) {
  if (!watcher_.is_relevant(proven.tx)) {
    counters_.false_positives += block.block.height > counted_to_ ? 1 : 0;
    return false;
  }
  if (effect.proof.empty()) effect.proof = p2p::encode_payload(block.proof);
  const wallet::Confirmation confirmation{.block = block.block, .block_time = block.time, .index = proven.index};
  auto news = watcher_.on_confirmed(proven.tx, confirmation, effect.proof, now.wall);
  relevant_.insert(proven.txid);
  effect.widened_from = lower_of(effect.widened_from, news.widened_from);
  take_news(std::move(news));
  return true;
}

// What is asked for elsewhere from now on is asked for with the coins in this block, though it may not be its turn yet.
void BlockScan::learn_ahead(const ScannedBlock& block) {
  if (lanes_.size() < 2 || !known_ || block.request.kind == BlockKind::Whole) return;
  bool seen = false;
  for (const auto& proven : block.matched) {
    if (!watcher_.is_relevant(proven.tx) || !replay(proven)) continue;
    seen_ahead_.emplace(proven.txid, last_epoch_ + 1);
    seen = true;
  }
  if (seen) renew_others(block.request.epoch);
}

// Filters loaded before now lack a coin, but for the one under which it was found.
void BlockScan::renew_others(FilterEpoch found) {
  for (auto& [id, lane] : lanes_) lane.lacking = lane.lacking || lane.pipe.epoch() != found;
}

// True if the filters that were loaded so far do not hold the coins in it.
bool BlockScan::replay(const ProvenTransaction& proven) {
  const double before = known_->filter().fill_ratio();
  known_->replay(proven.tx, proven.txid);
  return known_->filter().fill_ratio() > before;
}

void BlockScan::learn(const ProvenTransaction& proven, Effect& effect) {
  if (source_.mode == SourceMode::Filter) {
    watched_stale_ = true;  // a whole block comes only where two peers dispute one
  } else {
    refresh_watched();
    const auto coins = matcher_.learn(proven.tx, proven.txid);
    effect.coins.insert(effect.coins.end(), coins.begin(), coins.end());
  }
  if (slices_.active()) slices_.note_coins(proven);
  // A coin that was pending when the filters were planned is not new to them, but to those before it is.
  if (!known_ || replay(proven) || board_.has_older_than(planned_at_)) {
    effect.held_from = last_epoch_ + 1;
  } else if (const auto ahead = seen_ahead_.find(proven.txid); ahead != seen_ahead_.end()) {
    effect.held_from = std::max(effect.held_from.value_or(0), ahead->second);
  }
}

void BlockScan::on_coin(const ScannedBlock& block, const Effect& effect) {
  const auto found = [](const ScannedBlock& answer, const chain::OutPoint& coin) {
    const auto spends = [&](const chain::TxInput& input) { return input.previous == coin; };
    return std::ranges::any_of(
        answer.matched, [&](const ProvenTransaction& proven) { return std::ranges::any_of(proven.tx.inputs, spends); });
  };
  const auto missed = [&](const ScannedBlock& answer) {
    return std::ranges::any_of(effect.coins, [&](const chain::OutPoint& coin) {
      return matcher_.spends(answer.spends, coin) && !found(answer, coin);
    });
  };
  const std::size_t again = board_.revoke(block, effect.held_from, missed);
  counters_.asked_again += again;
  contention_.on_asked_again(again);
  if (effect.held_from == last_epoch_ + 1) renew_others(block.request.epoch);
}

// Pays us or spends from us, so that every filter matches it. What only conflicts with something that we hold is
// relevant too, but a filter may have been made before that was known. Of several passes that which matches by chance
// is not meant.
bool BlockScan::is_ours(const ProvenTransaction& proven) const {
  const bool ours = watcher_.is_relevant(proven.tx) && watcher_.net_of(proven.tx) != 0;
  if (!slices_.active()) return ours;
  return (ours || slices_.spends_coin(proven.tx)) && slices_.covers(proven);
}

void BlockScan::on_checked(const ScannedBlock& second) {
  std::set<chain::Txid> ours;
  for (const auto& proven : second.matched) {
    if (is_ours(proven)) ours.insert(proven.txid);
  }
  const auto verdict = check_.judge(second, std::move(ours));
  if (verdict.attested && slices_.attest(second.block.height)) {
    attested_by_two_.push_back(second.block.height);
    cross_checked_ += verdict.second_fault ? 0U : 1U;
    position_dirty_ = true;
  }
  if (verdict.first_fault) distrust(verdict.first, *verdict.first_fault);
  if (verdict.second_fault) distrust(verdict.second, *verdict.second_fault);
}

// Whoever has left something out once may have done so before: all that counts by its word is looked at again.
void BlockScan::distrust(PeerId peer, DisconnectReason reason) {
  convictions_.push_back({peer, reason});
  const auto served = served_from_.find(peer);
  if (served == served_from_.end()) return;
  const chain::Height counts_to = backfill_ ? backfill_->to : scanned_to_.height;
  look_again(std::min(served->second, counts_to + 1), counts_to);
  served_from_.erase(served);
}

void BlockScan::take_news(WatchEffect effect) {
  for (auto& seen : effect.seen) untold_.emplace_back(seen);
}

void BlockScan::count(const ScannedBlock& block) {
  counters_.relevant = relevant_.size();
  counters_.matched = counters_.relevant + counters_.false_positives;
  if (block.block.height <= counted_to_) return;
  counted_to_ = block.block.height;
  counters_.transactions += block.transactions;
}

void BlockScan::on_unconfirmed(WatchEffect effect, util::Now now, Outbox& out) {
  const auto widened_from = effect.widened_from;
  take_news(std::move(effect));
  if (widened_from) rescan_below(scanned_to_.height + 1, *widened_from);
  flush(now, out);
}

void BlockScan::flush(util::Now now, Outbox& out) {
  note_witnesses();
  last_commit_ = now.monotonic;
  auto wallets = watcher_.take_changes();
  wallet_version_ = watcher_.version();
  if (!wallets.empty()) out.persist(std::move(wallets));
  for (auto& event : std::exchange(untold_, {})) out.notify(std::move(event));
}

bool BlockScan::done() const {
  const auto is_due = [](const auto& item) { return item.second.renews(); };
  if (backfill_ || slices_.active() || board_.next() <= chain_.height()) return false;
  return std::none_of(lanes_.begin(), lanes_.end(), is_due) && is_checked();
}

// No second look at what was scanned is still to come.
bool BlockScan::is_checked() const {
  if (check_.has_disputes()) return false;
  const auto checks = [this](const auto& item) {
    return item.second.use.filtered && check_.waits_for(item.first, item.second.reach);
  };
  // What was found in slices cannot wait for another peer: the one that is left looks at what others have served.
  if (slices_.active() && lanes_.empty()) return check_.is_empty();
  return (lanes_.size() < 2 && !slices_.active()) || std::none_of(lanes_.begin(), lanes_.end(), checks);
}

std::optional<util::TimePoint> BlockScan::deadline(PeerId peer) const {
  const auto lane = lanes_.find(peer);
  return lane == lanes_.end() ? std::nullopt : lane->second.pipe.deadline();
}

std::optional<util::TimePoint> BlockScan::next_deadline() const {
  std::optional<util::TimePoint> next;
  for (const auto& [id, lane] : lanes_) {
    auto at = lane.pipe.deadline();
    const bool could_help =
        lane.pipe.in_flight() == 0 && lane.reach >= board_.next() && may_ask(lane) && can_serve(lane) && may_go_on();
    const auto overdue = could_help ? board_.overdue_at() : std::nullopt;
    if (overdue && (!at || *overdue < *at)) at = overdue;
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

}  // namespace spv::sync
