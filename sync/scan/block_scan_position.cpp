// Where BlockScan stands: what counts as scanned, what is owed a second look, and how it goes back when the chain does.
#include <algorithm>

#include "chain/pow.h"
#include "sync/scan/block_scan.h"
#include "sync/watch/alignment.h"

namespace spv::sync {

void BlockScan::take_position() {
  const wallet::ScanState& scan = watcher_.scan();
  scanned_to_ = scan.scanned_to;
  backfill_ = scan.backfill;
  attested_ = scan.attested;
  // A wallet that stands at a block goes on from there, below its birthday too if a reorganisation led it there.
  const chain::Height next = scanned_to_.height + 1;
  const bool stands = !scanned_to_.hash.is_zero();
  board_.restart(backfill_ ? backfill_->from : stands ? next : std::max(next, watcher_.config().birthday));
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
  look_again(watcher_.widened_from(), backfill_ ? backfill_->to : height - 1);
}

void BlockScan::look_again(chain::Height from, chain::Height to) {
  if (backfill_) from = std::min(from, backfill_->from);
  backfill_.reset();
  if (to >= from) backfill_ = wallet::HeightRange{from, to};
  attested_.forget(from, to);
  position_dirty_ = true;
  store_position();
  start_over(backfill_ ? from : std::max(from, to + 1));
}

void BlockScan::on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  const bool nothing_asked_above =
      board_.end() <= fork.height + 1 && (!slices_.active() || slices_.last() <= fork.height);
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
  store_position();
  settle_birthday();
  pending_.merge(watcher_.align(chain_));
  take_position();
  const auto here = chain_.hash_at(scanned_to_.height);
  if (scanned_to_.hash.is_zero()) {  // nothing was scanned yet: it stands before its birthday
    scanned_to_.hash = here.value_or(chain::BlockHash{});
    position_dirty_ = true;
  }
  const bool on_chain = scanned_to_.hash.is_zero() || here == scanned_to_.hash;
  go_back_to(on_chain ? scanned_to_ : standing_of(watcher_.scan(), watcher_.config().birthday, chain_), now, out);
}

// A date becomes the first block that can hold anything of that day: block times may be two hours off.
void BlockScan::settle_birthday() {
  constexpr util::UnixTime kTimeSlack = 7'200;
  chain::Height height = std::max(chain_.base_height(), 0);
  while (const auto born = watcher_.config().birthday_time) {  // of many wallets the earliest first
    while (height <= chain_.height() && chain_.at(height)->time < *born - kTimeSlack) ++height;
    pending_.merge(watcher_.set_birthday(chain::scan_start(chain_.params(), height)));
    take_position();
  }
}

// A peer that leaves has still said so.
void BlockScan::note_witnesses() {
  store_position();
  const auto has_it = [this](const auto& item) { return item.second.reach >= scanned_to_.height; };
  const auto peers = static_cast<std::uint32_t>(std::count_if(lanes_.begin(), lanes_.end(), has_it));
  wallet::ScanState scan = standing();
  if (peers <= scan.peers || scanned_to_.hash.is_zero()) return;
  scan.peers = peers;
  pending_.merge(watcher_.set_scan(std::move(scan)));
}

// Not the watcher's own: who has just come, and is not scanned for yet, is in that already.
wallet::ScanState BlockScan::standing() const {
  wallet::ScanState scan = watcher_.scan();
  if (scan.scanned_to != scanned_to_) scan.peers = 0;
  scan.scanned_to = scanned_to_;
  scan.backfill = backfill_;
  scan.attested = attested_;
  return scan;
}

void BlockScan::store_position() {
  if (!position_dirty_) return;
  wallet::ScanState scan = standing();
  const auto header = chain_.at(scanned_to_.height);
  scan.time = header ? header->time : 0;
  pending_.merge(watcher_.set_scan(std::move(scan)));
  position_dirty_ = false;
}

}  // namespace spv::sync
