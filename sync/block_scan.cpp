#include "sync/block_scan.h"

#include <algorithm>

#include "chain/pow.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "wallet/wallet.h"

namespace spv::sync {
namespace {

/// More than this in one commit costs more in merging than a commit does.
constexpr std::size_t kMaxPendingTransactions = 500;
/// A peer that goes on alone may have this much more under way than one of several.
constexpr std::size_t kAlone = 4;

}  // namespace

BlockScan::BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate, CrossCheck check,
                     SourceOptions source, util::Rng rng)
    : chain_(chain), watcher_(watcher), fp_rate_(fp_rate), source_(source), matcher_(rng), check_(std::move(check)) {
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
  const auto has_next = [this](const auto& item) { return item.second.reach >= board_.next(); };
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

void BlockScan::take_position() {
  const wallet::ScanState& scan = watcher_.scan();
  scanned_to_ = scan.scanned_to;
  backfill_ = scan.backfill;
  // A wallet that stands at a block goes on from there, below its birthday too if a reorganisation led it there.
  const chain::Height next = scanned_to_.height + 1;
  const bool stands = !scanned_to_.hash.is_zero();
  board_.restart(backfill_ ? backfill_->from : stands ? next : std::max(next, watcher_.config().birthday));
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
    const auto elements = watcher_.filter_elements();
    const auto identity = watcher_.filter_identity();
    filter_ = bip37::plan_filter(elements, fp_rate_, identity.tweak, identity.decoy_seed, bip37::UpdateFlags::All);
    known_.emplace(filter_->filter);
    planned_at_ = last_epoch_ + 1;
    window_.on_planned(*filter_);
  }
  lane.pipe.load_filter(known_->filter(), ++last_epoch_, out);
  lane.worn = lane.lacking = false;
  measure_room(lane);
}

// All that is under way was asked for without something that is watched now, or on another chain.
void BlockScan::start_over(chain::Height first) {
  board_.restart(first);
  check_.restart(first - 1);
  plan_again();
  for (auto& [id, lane] : lanes_) {
    lane.pipe.forget_requests();
    lane.lacking = true;
  }
}

std::optional<DisconnectReason> BlockScan::on(PeerId peer, const p2p::MerkleBlock& message, util::Now now,
                                              Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const auto before = lane.pipe.blocks_received(BlockKind::Filtered);
  if (const auto fault = lane.pipe.on(message, now)) return fault;
  counters_.merkleblocks += lane.pipe.blocks_received(BlockKind::Filtered) - before;
  return drain(lane, now, out);
}

std::optional<DisconnectReason> BlockScan::on(PeerId peer, const p2p::Block& message, util::Now now, bool& asked,
                                              Outbox& out) {
  Lane& lane = lanes_.at(peer);
  const std::size_t bytes = chain::BlockHeader::kSize + message.body.size();
  if (!lane.use.local) downloaded_ += bytes;
  refresh_watched();
  const auto fault = lane.pipe.on(message, matcher_, board_.next(), now, asked);
  if (fault || !asked) return fault;
  ++counters_.blocks;
  window_.on_whole_block(bytes);
  return drain(lane, now, out);
}

std::optional<DisconnectReason> BlockScan::on(PeerId peer, const p2p::Pong& message,
                                              const ScanLane::KnownTransactions& known, util::Now now, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  if (const auto fault = lane.pipe.on(message, known, now)) return fault;
  measure_room(lane);
  return drain(lane, now, out);
}

std::optional<DisconnectReason> BlockScan::on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid,
                                              util::Now now, bool& taken, Outbox& out) {
  Lane& lane = lanes_.at(peer);
  if (const auto fault = lane.pipe.on(tx, txid, now, taken)) return fault;
  if (!taken) return std::nullopt;
  return drain(lane, now, out);
}

bool BlockScan::excuses(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid) {
  const auto lane = lanes_.find(peer);
  return lane != lanes_.end() && lane->second.pipe.excuses(tx, txid);
}

std::optional<DisconnectReason> BlockScan::drain(Lane& lane, util::Now now, Outbox& out) {
  while (auto block = lane.pipe.take()) {
    if (lane.pipe.ignores_filter()) return DisconnectReason::UnmatchedTransactions;
    window_.on_block(block->transactions);
    if (!block->matched.empty()) measure_room(lane);
    if (check_.wants(*block)) {
      on_checked(*block);
    } else {
      board_.answered(std::move(*block));
    }
  }
  while (const auto block = board_.take()) apply(*block, now, out);
  return std::nullopt;
}

void BlockScan::apply(const ScannedBlock& block, util::Now now, Outbox& out) {
  ++blocks_applied_;
  Effect effect = apply_transactions(block, now);
  count(block);
  if (effect.widened) return rescan_below(block.block.height);
  if (effect.coin || !effect.coins.empty()) on_coin(block, effect);
  contention_.on_block(effect.coin && filters());
  // A whole block hides nothing: its peer need not be believed.
  if (block.request.kind == BlockKind::Filtered) {
    const auto served = served_from_.try_emplace(block.request.peer, block.block.height).first;
    served->second = std::min(served->second, block.block.height);
    check_.on_applied(block, effect.ours);
  }
  advance(block.block);
  const bool at_tip = block.block.height == chain_.height() && !backfill_;
  const bool due = !last_commit_ || now.monotonic - *last_commit_ >= kCommitInterval;
  if (at_tip || due || pending_.transactions.size() >= kMaxPendingTransactions) flush(now, out);
}

BlockScan::Effect BlockScan::apply_transactions(const ScannedBlock& block, util::Now now) {
  Effect effect;
  util::Bytes proof;
  for (const auto& proven : block.matched) {
    if (!watcher_.is_relevant(proven.tx)) {
      counters_.false_positives += block.block.height > counted_to_ ? 1 : 0;
      continue;
    }
    if (proof.empty()) proof = p2p::encode_payload(block.proof);
    const wallet::Confirmation confirmation{.block = block.block, .block_time = block.time, .index = proven.index};
    auto changes = watcher_.on_confirmed(proven.tx, confirmation, proof, now.wall);
    relevant_.insert(proven.txid);
    effect.widened = effect.widened || changes.widened;
    learn(proven, effect);
    if (is_ours(proven.tx)) effect.ours.push_back(proven.txid);
    take_changes(std::move(changes));
  }
  return effect;
}

void BlockScan::learn(const ProvenTransaction& proven, Effect& effect) {
  if (source_.mode == SourceMode::Filter) {
    watched_stale_ = true;  // a whole block comes only where two peers dispute one
  } else {
    refresh_watched();
    const auto coins = matcher_.learn(proven.tx, proven.txid);
    effect.coins.insert(effect.coins.end(), coins.begin(), coins.end());
  }
  if (!known_) {
    effect.coin = true;
    return;
  }
  const double before = known_->filter().fill_ratio();
  known_->replay(proven.tx, proven.txid);
  // A coin that was pending when the filters were planned is not new to them, but to those before it is.
  const bool is_new = known_->filter().fill_ratio() > before || board_.has_older_than(planned_at_);
  effect.coin = effect.coin || is_new;
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
  const std::size_t again = board_.revoke(block, effect.coin, missed);
  counters_.asked_again += again;
  contention_.on_asked_again(again);
  if (!effect.coin) return;
  for (auto& [id, lane] : lanes_) lane.lacking = lane.lacking || lane.pipe.epoch() != block.request.epoch;
}

// Pays us or spends from us, so that every filter matches it. What only conflicts with something that we hold is
// relevant too, but a filter may have been made before that was known.
bool BlockScan::is_ours(const chain::Transaction& tx) const {
  return watcher_.is_relevant(tx) && watcher_.net_of(tx) != 0;
}

void BlockScan::on_checked(const ScannedBlock& second) {
  std::set<chain::Txid> ours;
  for (const auto& proven : second.matched) {
    if (is_ours(proven.tx)) ours.insert(proven.txid);
  }
  const auto verdict = check_.judge(second, ours);
  if (verdict.first_fault) distrust(verdict.first, *verdict.first_fault);
  if (verdict.second_fault) distrust(verdict.second, *verdict.second_fault);
}

// Whoever has left something out once may have done so before: all that counts by its word is looked at again.
void BlockScan::distrust(PeerId peer, DisconnectReason reason) {
  convictions_.push_back({peer, reason});
  const auto served = served_from_.find(peer);
  if (served == served_from_.end()) return;
  look_again(served->second, backfill_ ? backfill_->to : scanned_to_.height);
  served_from_.erase(served);
}

void BlockScan::take_changes(wallet::Changes changes) {
  for (const auto& record : changes.transactions) {
    const auto height = record.confirmation ? std::optional(record.confirmation->block.height) : std::nullopt;
    untold_.emplace_back(TransactionSeen{record.txid, watcher_.net_of(record.tx), height});
  }
  pending_.merge(std::move(changes));
}

void BlockScan::count(const ScannedBlock& block) {
  counters_.relevant = relevant_.size();
  counters_.matched = counters_.relevant + counters_.false_positives;
  if (block.block.height <= counted_to_) return;
  counted_to_ = block.block.height;
  counters_.transactions += block.transactions;
}

void BlockScan::on_unconfirmed(wallet::Changes changes, util::Now now, Outbox& out) {
  const bool widened = changes.widened;
  take_changes(std::move(changes));
  if (widened) rescan_below(scanned_to_.height + 1);
  flush(now, out);
}

void BlockScan::advance(const chain::BlockRef& block) {
  if (backfill_) {
    backfill_->from = block.height + 1;
    if (backfill_->from > backfill_->to) backfill_.reset();
  } else {
    scanned_to_ = block;
  }
  position_dirty_ = true;
}

// Scripts are watched now that were not when these blocks were asked for: all of them are owed a second look.
void BlockScan::rescan_below(chain::Height height) {
  ++counters_.rescans;
  // The block itself was asked for without them too. In the main pass it simply does not count as scanned.
  look_again(watcher_.config().birthday, backfill_ ? backfill_->to : height - 1);
}

void BlockScan::look_again(chain::Height from, chain::Height to) {
  if (backfill_) from = std::min(from, backfill_->from);
  backfill_.reset();
  if (to >= from) backfill_ = wallet::HeightRange{from, to};
  position_dirty_ = true;
  store_position();
  start_over(backfill_ ? from : std::max(from, to + 1));
}

void BlockScan::on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  const bool nothing_asked_above = board_.end() <= fork.height + 1;
  if (fork.height < scanned_to_.height || !nothing_asked_above) return go_back_to(fork, now, out);
  // A block that is owed a second look may have confirmed something without counting as scanned.
  pending_.merge(watcher_.on_disconnected_above(fork));
}

void BlockScan::go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  store_position();
  pending_.merge(watcher_.on_disconnected_above(fork));
  take_position();
  counted_to_ = std::min(counted_to_, fork.height);
  // Outpoints spent long ago may be unspent again, and blocks under way belong to a chain that is gone.
  start_over(board_.next());
  flush(now, out);
}

// Goes back also to where it stands: a block above, owed a second look, may have confirmed something already.
void BlockScan::align(util::Now now, Outbox& out) {
  settle_birthday();
  const auto here = chain_.hash_at(scanned_to_.height);
  if (scanned_to_.hash.is_zero()) {  // nothing was scanned yet: it stands before its birthday
    scanned_to_.hash = here.value_or(chain::BlockHash{});
    position_dirty_ = true;
  }
  const bool on_chain = scanned_to_.hash.is_zero() || here == scanned_to_.hash;
  go_back_to(on_chain ? scanned_to_ : highest_anchor_on_chain(), now, out);
}

// A date becomes the first block that can hold anything of that day: block times may be two hours off.
void BlockScan::settle_birthday() {
  const auto& born = watcher_.config().birthday_time;
  if (!born) return;
  constexpr util::UnixTime kTimeSlack = 7'200;
  chain::Height height = std::max(chain_.base_height(), 0);
  while (height <= chain_.height() && chain_.at(height)->time < *born - kTimeSlack) ++height;
  pending_.merge(watcher_.set_birthday(chain::scan_start(chain_.params(), height)));
  take_position();
}

chain::BlockRef BlockScan::highest_anchor_on_chain() const {
  const auto& anchors = watcher_.scan().anchors;
  for (auto anchor = anchors.rbegin(); anchor != anchors.rend(); ++anchor) {
    if (chain_.hash_at(anchor->height) == anchor->hash) return *anchor;
  }
  // The chain was left below all that we remember, so perhaps below the birthday too.
  const chain::Height below = watcher_.config().birthday - 1 - wallet::Wallet::kReorganisationDepth;
  const chain::Height restart = std::clamp(below, chain_.base_height(), chain_.height());
  return {restart, *chain_.hash_at(restart)};
}

void BlockScan::pump(chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  bool asked = true;
  while (asked) {
    asked = false;
    for (auto& [id, lane] : lanes_) {
      asked = ask_checks(lane, rng, now, out) || asked;
      asked = ask_some(lane, std::min({last, lane.reach, farthest()}), rng, now, out) || asked;
    }
  }
  // Whoever has nothing to do gets the present filter at once: loose transactions are matched by it.
  for (auto& [id, lane] : lanes_) {
    const bool idle = board_.unasked(last) == 0 && !must_drain(lane);
    if (idle && lane.renews()) load_filter(lane, out);
  }
}

// Where peers get into each other's way, one goes on alone: it has every coin that it has served itself.
bool BlockScan::may_ask(const Lane& lane) const {
  if (!contention_.crowded()) return true;
  const auto leads = [this](const auto& item) { return item.second.reach >= board_.next(); };
  const auto lead = std::find_if(lanes_.begin(), lanes_.end(), leads);
  return lead != lanes_.end() && &lane == &lead->second;
}

// One peer alone is kept as busy as the filter allows. With several, all that is under way elsewhere when a coin is
// found must be asked for again, so no more than keeps each of them busy.
std::size_t BlockScan::window(const Lane& lane, BlockKind kind) const {
  const std::size_t room = kind == BlockKind::Whole ? window_.whole_blocks() : lane.room;
  if (lanes_.size() == 1 && !company_) return room;
  const std::size_t depth = lane.pipe.pace(kind).depth().value_or(ScanWindow::kFirstBlocks);
  return std::min(room, contention_.crowded() ? depth * kAlone : depth);
}

// How many whole blocks this peer may be asked for: beyond the local network none that could pass the limit.
std::size_t BlockScan::whole_allowance(const Lane& lane) const {
  if (source_.mode == SourceMode::Filter) return 0;
  if (source_.mode == SourceMode::Blocks || lane.use.local) return SIZE_MAX;
  std::uint64_t under_way = 0;
  for (const auto& [id, other] : lanes_) under_way += other.use.local ? 0 : other.pipe.in_flight(BlockKind::Whole);
  const std::uint64_t spoken_for = downloaded_ + under_way * p2p::kMaxPayloadBytes;
  return spoken_for >= source_.max_download ? 0 : (source_.max_download - spoken_for) / p2p::kMaxPayloadBytes;
}

std::optional<SourceChoice::Pick> BlockScan::choose(Lane& lane) {
  const std::size_t allowance = whole_allowance(lane);
  if (allowance == 0 && !lane.use.filtered) {
    if (lane.pipe.in_flight() == 0) convictions_.push_back({lane.pipe.peer(), DisconnectReason::NoBloomFilters});
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

// A coin in what is under way would not be in a filter that is made now: better wait for it, unless that is unlikely.
bool BlockScan::must_drain(const Lane& lane) const {
  const std::size_t under_way = lane.pipe.in_flight();
  return lane.renews() && !lane.lacking && under_way > 0 && !contention_.is_calm(under_way);
}

bool BlockScan::ask_checks(Lane& lane, util::Rng& rng, util::Now now, Outbox& out) {
  if (lane.pipe.is_late(now)) return false;
  // What two peers dispute the whole block decides, whoever sends it.
  const auto disputed = check_.disputed(lane.reach);
  if (!disputed.empty()) {
    check_.asked(disputed, lane.pipe.request(disputed, BlockKind::Whole, rng.next(), now, out));
    return true;
  }
  if (!lane.use.filtered) return false;
  const std::size_t allowed = window(lane, BlockKind::Filtered);
  if (lanes_.size() < 2 || must_drain(lane) || lane.pipe.in_flight() >= allowed) return false;
  const auto blocks = check_.pick(lane.pipe.peer(), std::clamp<std::size_t>(allowed / 4, 1, kBatchBlocks), lane.reach);
  if (blocks.empty()) return false;
  if (lane.renews()) load_filter(lane, out);
  check_.asked(blocks, lane.pipe.request(blocks, BlockKind::Filtered, rng.next(), now, out));
  return true;
}

bool BlockScan::ask_some(Lane& lane, chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  if (!may_ask(lane) || lane.pipe.is_late(now)) return false;
  const auto pick = choose(lane);
  const bool filtered = pick && pick->kind == BlockKind::Filtered;
  if (!pick || (filtered && must_drain(lane))) return false;
  const std::size_t allowed = window(lane, pick->kind);
  const bool renew = filtered && lane.renews();
  const std::size_t busy = renew ? 0 : filtered ? lane.pipe.in_flight_now() : lane.pipe.in_flight();
  const std::size_t batch = std::min(std::clamp<std::size_t>(allowed / 4, 1, kBatchBlocks), pick->most);
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

void BlockScan::store_position() {
  if (!position_dirty_) return;
  wallet::ScanState scan = watcher_.scan();
  scan.scanned_to = scanned_to_;
  scan.backfill = backfill_;
  pending_.merge(watcher_.set_scan(std::move(scan)));
  position_dirty_ = false;
}

void BlockScan::flush(util::Now now, Outbox& out) {
  store_position();
  last_commit_ = now.monotonic;
  if (!pending_.transactions.empty()) ++wallet_version_;
  if (!pending_.empty()) out.persist(std::exchange(pending_, {}));
  for (auto& event : std::exchange(untold_, {})) out.notify(std::move(event));
}

bool BlockScan::done() const {
  const auto is_due = [](const auto& item) { return item.second.renews(); };
  if (backfill_ || board_.next() <= chain_.height() || std::any_of(lanes_.begin(), lanes_.end(), is_due)) return false;
  if (check_.has_disputes()) return false;
  const auto checks = [this](const auto& item) {
    return item.second.use.filtered && check_.waits_for(item.first, item.second.reach);
  };
  return lanes_.size() < 2 || std::none_of(lanes_.begin(), lanes_.end(), checks);
}

std::optional<util::TimePoint> BlockScan::deadline(PeerId peer) const {
  const auto lane = lanes_.find(peer);
  return lane == lanes_.end() ? std::nullopt : lane->second.pipe.deadline();
}

std::optional<util::TimePoint> BlockScan::next_deadline() const {
  std::optional<util::TimePoint> next;
  for (const auto& [id, lane] : lanes_) {
    auto at = lane.pipe.deadline();
    const bool could_help = lane.pipe.in_flight() == 0 && lane.reach >= board_.next() && may_ask(lane);
    const auto overdue = could_help ? board_.overdue_at() : std::nullopt;
    if (overdue && (!at || *overdue < *at)) at = overdue;
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

}  // namespace spv::sync
