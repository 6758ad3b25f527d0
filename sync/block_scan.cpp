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

}  // namespace

BlockScan::BlockScan(const chain::HeaderChain& chain, Watcher& watcher, double fp_rate)
    : chain_(chain), watcher_(watcher), fp_rate_(fp_rate) {
  take_position();
}

std::optional<PeerId> BlockScan::peer() const {
  if (!lane_) return std::nullopt;
  return lane_->peer();
}

void BlockScan::start(PeerId peer, bool strict, Outbox& out) {
  lane_.emplace(peer, strict);
  next_request_ = next_apply_;
  load_filter(out);
}

void BlockScan::stop() {
  lane_.reset();
  next_request_ = next_apply_;
}

void BlockScan::take_position() {
  const wallet::ScanState& scan = watcher_.scan();
  scanned_to_ = scan.scanned_to;
  backfill_ = scan.backfill;
  // A wallet that stands at a block goes on from there, below its birthday too if a reorganisation led it there.
  const chain::Height next = scanned_to_.height + 1;
  const bool stands = !scanned_to_.hash.is_zero();
  next_apply_ = backfill_ ? backfill_->from : stands ? next : std::max(next, watcher_.config().birthday);
  next_request_ = next_apply_;
}

void BlockScan::load_filter(Outbox& out) {
  store_position();  // which spent outpoints are still watched depends on it
  const auto elements = watcher_.filter_elements();
  const auto identity = watcher_.filter_identity();
  filter_ = bip37::plan_filter(elements, fp_rate_, identity.tweak, identity.decoy_seed, bip37::UpdateFlags::All);
  window_.on_loaded(*filter_);
  lane_->load_filter(filter_->filter, out);
  reload_wanted_ = false;
}

std::optional<DisconnectReason> BlockScan::on(const p2p::MerkleBlock& message, util::Now now, Outbox& out) {
  const auto before = lane_->blocks_received();
  if (const auto fault = lane_->on(message, now)) return fault;
  counters_.merkleblocks += lane_->blocks_received() - before;
  return drain(now, out);
}

std::optional<DisconnectReason> BlockScan::on(const p2p::Pong& message, const ScanLane::KnownTransactions& known,
                                              util::Now now, Outbox& out) {
  if (const auto fault = lane_->on(message, known, now)) return fault;
  return drain(now, out);
}

std::optional<DisconnectReason> BlockScan::on(const chain::Transaction& tx, const chain::Txid& txid, util::Now now,
                                              bool& taken, Outbox& out) {
  if (const auto fault = lane_->on(tx, txid, now, taken)) return fault;
  if (!taken) return std::nullopt;
  return drain(now, out);
}

std::optional<DisconnectReason> BlockScan::drain(util::Now now, Outbox& out) {
  while (const auto block = lane_->take()) {
    if (lane_->ignores_filter()) return DisconnectReason::UnmatchedTransactions;
    apply(*block, now, out);
  }
  return std::nullopt;
}

void BlockScan::apply(const ScannedBlock& block, util::Now now, Outbox& out) {
  util::ensure(block.block.height == next_apply_, "blocks are applied in order");
  ++blocks_applied_;
  const bool widened = apply_transactions(block, now);
  count(block);
  if (widened) return rescan_below(block.block.height, out);
  advance(block.block);
  const bool at_tip = block.block.height == chain_.height() && !backfill_;
  const bool due = !last_commit_ || now.monotonic - *last_commit_ >= kCommitInterval;
  if (at_tip || due || pending_.transactions.size() >= kMaxPendingTransactions) flush(now, out);
  if (window_.is_used_up(lane_->mirror())) reload_wanted_ = true;
}

bool BlockScan::apply_transactions(const ScannedBlock& block, util::Now now) {
  bool widened = false;
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
    widened = widened || changes.widened;
    take_changes(std::move(changes));
  }
  return widened;
}

void BlockScan::take_changes(wallet::Changes changes) {
  for (const auto& record : changes.transactions) {
    const auto height = record.confirmation ? std::optional(record.confirmation->block.height) : std::nullopt;
    untold_.emplace_back(TransactionSeen{record.txid, watcher_.net_of(record.tx), height});
  }
  pending_.merge(std::move(changes));
}

void BlockScan::count(const ScannedBlock& block) {
  window_.on_block(block.transactions);
  counters_.relevant = relevant_.size();
  counters_.matched = counters_.relevant + counters_.false_positives;
  if (block.block.height <= counted_to_) return;
  counted_to_ = block.block.height;
  counters_.transactions += block.transactions;
}

void BlockScan::on_unconfirmed(wallet::Changes changes, util::Now now, Outbox& out) {
  const bool widened = changes.widened;
  take_changes(std::move(changes));
  if (widened) rescan_below(scanned_to_.height + 1, out);
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
  ++next_apply_;
}

// Scripts are watched now that were not when these blocks were asked for: all of them are owed a second look.
void BlockScan::rescan_below(chain::Height height, Outbox& out) {
  ++counters_.rescans;
  const chain::Height birthday = watcher_.config().birthday;
  // The block itself was asked for without them too. In the main pass it simply does not count as scanned.
  const chain::Height last = backfill_ ? backfill_->to : height - 1;
  backfill_.reset();
  if (last >= birthday) backfill_ = wallet::HeightRange{birthday, last};
  position_dirty_ = true;
  store_position();
  next_apply_ = next_request_ = birthday;
  if (lane_) load_filter(out);
}

void BlockScan::on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  const bool nothing_asked_above = next_request_ <= fork.height + 1;
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
  if (lane_) load_filter(out);
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

void BlockScan::pump(chain::Height peer_has, util::Rng& rng, util::Now now, Outbox& out) {
  if (!lane_) return;
  if (reload_wanted_) {
    // A new filter replaces what the node has inserted by itself, so first all that it found must have arrived.
    if (lane_->in_flight() > 0) return;
    load_filter(out);
  }
  const std::size_t allowed = window_.blocks(lane_->mirror());
  const std::size_t batch_size = std::min(kBatchBlocks, (allowed + 3) / 4);
  const chain::Height end = std::min(chain_.height(), peer_has);
  while (next_request_ <= end && lane_->in_flight() < allowed) {
    const chain::Height last = std::min(end, next_request_ + static_cast<chain::Height>(batch_size) - 1);
    // Small top-ups would cost a fence each: wait until a whole batch fits, unless this is the end.
    if (lane_->in_flight() + batch_size > allowed && last != end) return;
    request_up_to(last, rng, now, out);
  }
}

void BlockScan::request_up_to(chain::Height last, util::Rng& rng, util::Now now, Outbox& out) {
  std::vector<chain::BlockRef> batch;
  batch.reserve(kBatchBlocks);
  for (; next_request_ <= last; ++next_request_) batch.push_back({next_request_, *chain_.hash_at(next_request_)});
  if (counters_.scanned_from < 0 || batch.front().height < counters_.scanned_from) {
    counters_.scanned_from = batch.front().height;
  }
  lane_->request(batch, rng.next(), now, out);
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

bool BlockScan::done() const { return !backfill_ && next_apply_ > chain_.height() && !reload_wanted_; }

std::optional<util::TimePoint> BlockScan::deadline() const {
  if (!lane_) return std::nullopt;
  return lane_->deadline();
}

}  // namespace spv::sync
