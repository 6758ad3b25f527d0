// Where BlockScan stands: what counts as scanned, what is owed a second look, and how it goes back when the chain does.
#include <algorithm>

#include "chain/pow.h"
#include "sync/scan/block_scan.h"

namespace spv::sync {

void BlockScan::take_position() {
  const Standing standing = watcher_.standing();
  scanned_to_ = standing.scanned_to;
  backfill_ = standing.owed;
  // A wallet that stands at a block goes on from there, below its birthday too if a reorganisation led it there.
  const chain::Height next = scanned_to_.height + 1;
  const bool stands = !scanned_to_.hash.is_zero();
  board_.restart(backfill_ ? backfill_->from : stands ? next : std::max(next, standing.birthday));
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
void BlockScan::rescan_below(chain::Height height, chain::Height widened_from) {
  ++counters_.rescans;
  // The block itself was asked for without them too. In the main pass it simply does not count as scanned.
  look_again(widened_from, backfill_ ? backfill_->to : height - 1);
}

void BlockScan::look_again(chain::Height from, chain::Height to) {
  store_position();
  if (backfill_) from = std::min(from, backfill_->from);
  backfill_.reset();
  if (to >= from) {
    backfill_ = wallet::HeightRange{from, to};
    watcher_.on_owed(*backfill_);
  }
  start_over(backfill_ ? from : std::max(from, to + 1));
}

void BlockScan::on_reorganised(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  const bool nothing_asked_above =
      board_.end() <= fork.height + 1 && (!slices_.active() || slices_.last() <= fork.height);
  if (fork.height < scanned_to_.height || !nothing_asked_above) return go_back_to(fork, now, out);
  // A block that is owed a second look may have confirmed something without counting as scanned.
  watcher_.on_disconnected_above(fork);
}

void BlockScan::go_back_to(const chain::BlockRef& fork, util::Now now, Outbox& out) {
  store_position();
  watcher_.on_disconnected_above(fork);
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
  watcher_.on_chain_known(chain_);
  take_position();
  go_back_to(scanned_to_, now, out);
}

// A date becomes the first block that can hold anything of that day: block times may be two hours off.
void BlockScan::settle_birthday() {
  constexpr util::UnixTime kTimeSlack = 7'200;
  chain::Height height = std::max(chain_.base_height(), 0);
  while (const auto born = watcher_.standing().birthday_time) {  // of many wallets the earliest first
    while (height <= chain_.height() && chain_.at(height)->time < *born - kTimeSlack) ++height;
    watcher_.on_birthday(chain::scan_start(chain_.params(), height));
    take_position();
  }
}

// A peer that leaves has still said so.
void BlockScan::note_witnesses() {
  store_position();
  const auto has_it = [this](const auto& item) { return item.second.reach >= scanned_to_.height; };
  watcher_.on_witnessed(static_cast<std::uint32_t>(std::count_if(lanes_.begin(), lanes_.end(), has_it)));
}

void BlockScan::store_position() {
  if (!position_dirty_) return;
  position_dirty_ = false;
  const auto header = chain_.at(scanned_to_.height);
  watcher_.on_scanned({.to = scanned_to_,
                       .time = header ? header->time : 0,
                       .next = backfill_ ? backfill_->from : scanned_to_.height + 1,
                       .by_two = std::exchange(attested_by_two_, {}),
                       .whole = std::exchange(attested_whole_, {})});
}

}  // namespace spv::sync
