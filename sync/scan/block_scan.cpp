// The blocks that come: proven, checked, and applied in order.
#include "sync/scan/block_scan.h"

#include <algorithm>

namespace spv::sync {
namespace {

/// The lower of those that there are.
std::optional<chain::Height> lower_of(std::optional<chain::Height> a, std::optional<chain::Height> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

std::optional<util::TimePoint> sooner_of(std::optional<util::TimePoint> a, std::optional<util::TimePoint> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

bool spends(const ScannedBlock& block, const chain::OutPoint& coin) {
  const auto is_it = [&](const chain::TxInput& input) { return input.previous == coin; };
  return std::ranges::any_of(
      block.matched, [&](const ProvenTransaction& proven) { return std::ranges::any_of(proven.tx.inputs, is_it); });
}

}  // namespace

BlockScan::BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate, CrossCheck check,
                     SourceOptions source, util::Rng rng, bip158::FilterHeaderStore* filter_headers)
    : chain_(chain),
      watcher_(watcher),
      position_(chain, watcher),
      commits_(watcher),
      trust_(std::move(check)),
      slices_(bip37::filter_capacity(fp_rate), source.most_elements),
      keeper_(fp_rate),
      // Coins of blocks that wait for their turn are not the wallets' yet; what misses them is asked for again.
      matcher_(rng,
               [this](BlockMatcher& matcher) {
                 position_.store();  // which spent outpoints are still watched depends on it
                 matcher.watch(watcher_);
               }),
      asking_(lanes_, board_, slices_, source),
      compact_(chain, watcher, filter_headers) {
  board_.restart(position_.first());
}

void BlockScan::add_lane(PeerId peer, bool strict, LaneUse use, Outbox& out) {
  Lane& lane = lanes_.add({.pipe = ScanLane(peer, strict, matcher_, &compact_),
                           .use = use,
                           .choice = SourceChoice(asking_.source().mode, use.filtered)});
  if (use.filtered) load_filter(lane, out);
  if (use.compact) compact_.headers().add(peer);
}

void BlockScan::remove_lane(PeerId peer) {
  if (!lanes_.remove(peer)) return;
  board_.lost(peer);
  trust_.check().lost(peer);
  compact_.headers().remove(peer);
  compact_.trial().lost(peer);
}

bool BlockScan::can_go_on() const {
  return board_.next() > chain_.height() || lanes_.any([this](const Lane& lane) { return asking_.has_next(lane); });
}

// --- messages -----------------------------------------------------------------------------------------------------

ScanStep BlockScan::on(PeerId peer, p2p::MerkleBlock& message, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const LaneStep step = lane.pipe.on(message, now);
  if (step.fault) return {.fault = step.fault};
  if (step.taken) tally_.on_answer();
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const p2p::Block& message, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const std::size_t bytes = chain::BlockHeader::kSize + message.body.size();
  asking_.on_whole_block(bytes, lane.use);
  const LaneStep step = lane.pipe.on(message, board_.next(), now);
  if (step.fault || !step.taken) return {.fault = step.fault, .taken = step.taken};
  tally_.on_answer();
  asking_.pace().on_whole_block(bytes);
  compact_.headers().note_progress(peer, now);
  if (step.proven && compact_.trial().wants(message.header.hash())) {
    compact_.trial().on_block(message.body, holds_news(message));
  }
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, chain::Transaction& tx, const chain::Txid& txid, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const LaneStep step = lane.pipe.on(tx, txid, now);
  if (step.fault || !step.taken) return {.fault = step.fault, .taken = step.taken};
  return drain(lane, now, out);
}

ScanStep BlockScan::on(PeerId peer, const p2p::Pong& message, const KnownTransactions& known, util::Now now,
                       Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const LaneStep step = lane.pipe.on(message, known, now);
  if (step.fault) return {.fault = step.fault};
  compact_.headers().on_fence(peer, message.nonce, now);
  asking_.measure_room(lane);
  return drain(lane, now, out);
}

bool BlockScan::excuses(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid) {
  Lane* lane = lanes_.find(peer);
  return lane != nullptr && lane->pipe.excuses(tx, txid);
}

// --- blocks -------------------------------------------------------------------------------------------------------

ScanStep BlockScan::drain(Lane& lane, util::Now now, Outbox& out) {
  ScanStep step{.taken = true};
  step.fault = collect(lane);
  if (!step.fault) {
    const Delivery delivery = deliver(now, out);
    step.applied = delivery.applied;
    step.found = delivery.found;
  }
  step.convicted = trust_.take_convicted();
  return step;
}

// What is complete in a lane goes to the board, or to the check that asked for it.
std::optional<DisconnectReason> BlockScan::collect(Lane& lane) {
  while (auto block = lane.pipe.take()) {
    if (lane.pipe.ignores_filter()) return DisconnectReason::UnmatchedTransactions;
    if (block->request.kind != BlockKind::Compact) asking_.pace().on_block(block->transactions);
    if (!block->matched.empty()) asking_.measure_room(lane);
    if (trust_.check().wants(*block)) {
      on_checked(*block);
    } else {
      learn_ahead(*block);
      board_.answered(std::move(*block));
    }
  }
  return std::nullopt;
}

// What is next on the board is applied, or waits for the last pass.
BlockScan::Delivery BlockScan::deliver(util::Now now, Outbox& out) {
  Delivery delivery;
  while (slices_.goes_on(board_.next())) {
    auto next = board_.take();
    if (!next) break;
    delivery.applied = true;
    const chain::Height height = next->block.height;
    if (slices_.holds()) {
      hold(std::move(*next));
    } else {
      delivery.found = apply(*next, now, out).found || delivery.found;
    }
    if (slices_.active()) slices_.passes().on_block(height);
  }
  return delivery;
}

void BlockScan::Effect::merge(const Effect& later) {
  widened_from = lower_of(widened_from, later.widened_from);
  held_from = std::max(held_from, later.held_from);
  coins.insert(coins.end(), later.coins.begin(), later.coins.end());
  ours.insert(ours.end(), later.ours.begin(), later.ours.end());
  found = found || later.found;
  found_before = found_before || later.found_before;
}

// The wallets hear of it with the last pass.
void BlockScan::hold(ScannedBlock block) {
  Effect effect;
  effect.found_before = slices_.passes().has_found(block.block.height);
  for (const auto& proven : block.matched) {
    if (watcher_.is_relevant(proven.tx)) effect.merge(learn(proven));
    if (is_ours(proven)) effect.ours.push_back(proven.txid);
  }
  note_server(block, effect);
  // A spend of another slice's coin that matched by chance is found in that slice's pass.
  const auto is_stranger = [this](const ProvenTransaction& proven) {
    return !watcher_.is_relevant(proven.tx) && !slices_.passes().spends_coin(proven.tx);
  };
  tally_.on_strangers(block.block.height, std::erase_if(block.matched, is_stranger));
  slices_.passes().hold(std::move(block));
}

BlockScan::Effect BlockScan::apply(const ScannedBlock& block, util::Now now, Outbox& out) {
  std::vector<FilterSlices::Part> parts = slices_.passes().take(block.block.height);
  Effect effect{.found_before = !parts.empty()};
  for (const auto& part : parts) {
    // Their coins were learnt in their own passes.
    for (const auto& proven : part.block.matched) effect.merge(confirm(proven, part.block, now).value_or(Effect{}));
  }
  for (const auto& proven : block.matched) {
    const auto confirmed = confirm(proven, block, now);
    if (!confirmed) continue;
    effect.merge(*confirmed);
    effect.merge(learn(proven));
    if (is_ours(proven)) effect.ours.push_back(proven.txid);
  }
  tally_.on_applied(block);
  if (effect.widened_from) {
    rescan_below(block.block.height, *effect.widened_from);
  } else {
    count_as_scanned(block, effect, std::move(parts), now, out);
  }
  return effect;
}

void BlockScan::count_as_scanned(const ScannedBlock& block, const Effect& effect, std::vector<FilterSlices::Part> parts,
                                 util::Now now, Outbox& out) {
  note_server(block, effect);
  if (slices_.active() && !(parts.empty() && block.matched.empty())) {
    parts.push_back({slices_.passes().pass(), block});
    if (has_gap(parts)) slices_.passes().cut(block.block.height);
  }
  position_.advance(block.block);
  const bool at_tip = block.block.height == chain_.height() && !position_.owes();
  if (at_tip || commits_.is_due(now)) flush(now, out);
}

// True if a transaction of ours was left out in a pass that must have matched it: there nobody looked for its coins
// above, so that what lies above is to be asked for again, with these among the elements.
bool BlockScan::has_gap(const std::vector<FilterSlices::Part>& parts) const {
  std::map<chain::Txid, std::set<std::size_t>> passes;
  for (const auto& part : parts) {
    for (const auto& proven : part.block.matched) passes[proven.txid].insert(part.pass);
  }
  const auto is_gap = [&](const ProvenTransaction& proven) {
    return watcher_.is_relevant(proven.tx) && slices_.passes().was_left_out(proven, passes.at(proven.txid));
  };
  return std::ranges::any_of(parts, [&](const auto& part) { return std::ranges::any_of(part.block.matched, is_gap); });
}

std::optional<BlockScan::Effect> BlockScan::confirm(const ProvenTransaction& proven, const ScannedBlock& block,
                                                    util::Now now) {
  if (!watcher_.is_relevant(proven.tx)) {
    tally_.on_strangers(block.block.height, 1);
    return std::nullopt;
  }
  const wallet::Confirmation confirmation{.block = block.block, .block_time = block.time, .index = proven.index};
  const WatchEffect news = watcher_.on_confirmed(proven.tx, confirmation, block.proof, now.wall);
  commits_.note(news);
  compact_.on_confirmed(proven.tx, proven.txid);
  return Effect{.widened_from = news.widened_from, .found = tally_.on_ours(proven.txid)};
}

// --- coins --------------------------------------------------------------------------------------------------------

BlockScan::Effect BlockScan::learn(const ProvenTransaction& proven) {
  Effect effect;
  if (asking_.source().mode == SourceMode::Filter && !asking_.source().or_compact) {
    matcher_.renew();  // a whole block comes only where two peers dispute one
  } else {
    effect.coins = matcher_.fresh().learn(proven.tx, proven.txid);
  }
  if (slices_.active()) slices_.passes().note_coins(proven);
  effect.held_from = keeper_.learn(proven, board_);
  return effect;
}

// What is asked for elsewhere from now on is asked for with the coins in this block, though it may not be its turn yet.
void BlockScan::learn_ahead(const ScannedBlock& block) {
  if (lanes_.size() < 2 || block.request.kind != BlockKind::Filtered) return;
  bool seen = false;
  for (const auto& proven : block.matched) {
    seen = (watcher_.is_relevant(proven.tx) && keeper_.learn_ahead(proven)) || seen;
  }
  if (seen) lanes_.renew_others(block.request.epoch);
}

void BlockScan::note_server(const ScannedBlock& block, const Effect& effect) {
  if (effect.held_from || !effect.coins.empty()) on_coin(block, effect);
  asking_.contention().on_block(effect.held_from && lanes_.filters());
  // A whole block hides nothing: its peer need not be believed.
  if (block.request.kind == BlockKind::Whole) return position_.attest_whole(block.block.height);
  trust_.on_served(block.request.peer, block.block.height);
  if (block.request.kind == BlockKind::Compact && compact_.on_applied(block.block.height)) {
    position_.attest_by_two(block.block.height);
    trust_.on_cross_checked();
  }
  trust_.check().on_applied(block, effect.ours, effect.found_before);
}

void BlockScan::on_coin(const ScannedBlock& block, const Effect& effect) {
  const auto missed = [&](const ScannedBlock& answer) {
    return std::ranges::any_of(effect.coins, [&](const chain::OutPoint& coin) {
      return matcher_.spends(answer.spends, coin) && !spends(answer, coin);
    });
  };
  const std::size_t again = board_.revoke(block, effect.held_from, missed);
  tally_.on_asked_again(again);
  asking_.contention().on_asked_again(again);
  if (effect.held_from == keeper_.next_epoch()) lanes_.renew_others(block.request.epoch);
}

// --- checks -------------------------------------------------------------------------------------------------------

// Pays us or spends from us, so that every filter matches it. What only conflicts with something that we hold is
// relevant too, but a filter may have been made before that was known. Of several passes that which matches by chance
// is not meant.
bool BlockScan::is_ours(const ProvenTransaction& proven) const {
  const bool ours = watcher_.is_relevant(proven.tx) && watcher_.net_of(proven.tx) != 0;
  if (!slices_.active()) return ours;
  return (ours || slices_.passes().spends_coin(proven.tx)) && slices_.passes().covers(proven);
}

void BlockScan::on_checked(const ScannedBlock& second) {
  std::set<chain::Txid> ours;
  for (const auto& proven : second.matched) {
    if (is_ours(proven)) ours.insert(proven.txid);
  }
  const auto verdict = trust_.check().judge(second, std::move(ours));
  if (verdict.attested && slices_.passes().attest(second.block.height)) {
    position_.attest_by_two(second.block.height);
    if (!verdict.faults.second) trust_.on_cross_checked();
  }
  const auto convict = [&](PeerId peer, std::optional<DisconnectReason> fault) {
    if (fault == DisconnectReason::FalseFilter) return refute_filter(second.block.height, *fault);
    if (fault) distrust(peer, *fault);
  };
  convict(verdict.first, verdict.faults.first);
  convict(verdict.second, verdict.faults.second);
}

// No second look at what was scanned is still to come.
bool BlockScan::is_checked() const {
  const CrossCheck& check = trust_.check();
  if (check.has_disputes()) return false;
  // What was found in slices cannot wait for another peer: the one that is left looks at what others have served.
  if (slices_.active() && lanes_.empty()) return check.is_empty();
  if (lanes_.size() < 2 && !slices_.active()) return true;
  return !lanes_.any([&](const Lane& lane) {
    const bool checks = lane.use.filtered || asking_.checks_compact(lane);
    return checks && check.waits_for(lane.pipe.peer(), lane.reach);
  });
}

// --- commits ------------------------------------------------------------------------------------------------------

void BlockScan::on_unconfirmed(const WatchEffect& effect, util::Now now, Outbox& out) {
  commits_.note(effect);
  if (effect.widened_from) rescan_below(position_.scanned_to().height + 1, *effect.widened_from);
  flush(now, out);
}

// A peer that leaves has still said that it has the last block.
void BlockScan::flush(util::Now now, Outbox& out) {
  position_.store(lanes_.reaching(position_.scanned_to().height));
  commits_.flush(now, out);
}

bool BlockScan::done() const {
  if (position_.owes() || slices_.active() || board_.next() <= chain_.height()) return false;
  if (!are_filters_compared()) return false;
  return !lanes_.any([](const Lane& lane) { return lane.renews(); }) && is_checked();
}

std::optional<util::TimePoint> BlockScan::deadline(PeerId peer) const {
  const Lane* lane = lanes_.find(peer);
  if (lane == nullptr) return std::nullopt;
  return has_other_use(*lane) ? lane->pipe.deadline()
                              : sooner_of(lane->pipe.deadline(), compact_.headers().deadline(peer));
}

// If the next block is overdue elsewhere. One that would not be asked for it all the same must not be woken for it.
bool BlockScan::could_help(const Lane& lane) const {
  if (lane.pipe.in_flight() > 0 || !asking_.has_next(lane) || !asking_.may_ask(lane)) return false;
  if (!slices_.goes_on(board_.next()) || !asking_.may_bring_next(lane)) return false;
  if (!asking_.scans_compact(lane) || board_.is_next_matched()) return true;
  return compact_.headers().reach(lane.pipe.peer()) >= board_.next();
}

std::optional<util::TimePoint> BlockScan::next_deadline() const {
  std::optional<util::TimePoint> next;
  for (const auto& [id, lane] : lanes_) {
    auto at = sooner_of(lane.pipe.deadline(), compact_.headers().deadline(id));
    const auto overdue = could_help(lane) ? board_.overdue_at() : std::nullopt;
    if (overdue && (!at || *overdue < *at)) at = overdue;
    if (at && (!next || *at < *next)) next = at;
  }
  next = sooner_of(next, compare_until_);
  return sooner_of(sooner_of(next, compact_.trial().deadline()), compact_.headers().ask_again_at());
}

}  // namespace spv::sync
