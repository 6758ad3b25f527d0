#include "sync/scan/scan_position.h"

#include <algorithm>
#include <utility>

#include "chain/pow.h"

namespace spv::sync {

void ScanPosition::take() {
  const Standing standing = watcher_.standing();
  scanned_to_ = standing.scanned_to;
  owed_ = standing.owed;
  // A wallet that stands at a block goes on from there, below its birthday too if a reorganisation led it there.
  const chain::Height next = scanned_to_.height + 1;
  const bool stands = !scanned_to_.hash.is_zero();
  first_ = owed_ ? owed_->from : stands ? next : std::max(next, standing.birthday);
}

void ScanPosition::advance(const chain::BlockRef& block) {
  if (owed_) {
    owed_->from = block.height + 1;
    if (owed_->from > owed_->to) owed_.reset();
  } else {
    scanned_to_ = block;
  }
  dirty_ = true;
}

void ScanPosition::attest_by_two(chain::Height height) {
  by_two_.push_back(height);
  dirty_ = true;
}

chain::Height ScanPosition::owe(chain::Height from, chain::Height to) {
  store();  // a block that is scanned and owed again was scanned first
  if (owed_) from = std::min(from, owed_->from);
  owed_.reset();
  if (to < from) return to + 1;
  owed_ = wallet::HeightRange{from, to};
  watcher_.on_owed(*owed_);
  return from;
}

WatchEffect ScanPosition::go_back_to(const chain::BlockRef& fork) {
  store();
  WatchEffect effect = watcher_.on_disconnected_above(fork);
  take();
  return effect;
}

WatchEffect ScanPosition::align() {
  store();
  settle_birthday();
  WatchEffect effect = watcher_.on_chain_known(chain_);
  take();
  return effect;
}

// A date becomes the first block that can hold anything of that day: block times may be two hours off.
void ScanPosition::settle_birthday() {
  constexpr util::UnixTime kTimeSlack = 7'200;
  chain::Height height = std::max(chain_.base_height(), 0);
  while (const auto born = watcher_.standing().birthday_time) {  // of many wallets the earliest first
    while (height <= chain_.height() && chain_.at(height)->time < *born - kTimeSlack) ++height;
    watcher_.on_birthday(chain::scan_start(chain_.params(), height));
  }
}

void ScanPosition::store() {
  if (!std::exchange(dirty_, false)) return;
  const auto header = chain_.at(scanned_to_.height);
  watcher_.on_scanned({.to = scanned_to_,
                       .time = header ? header->time : 0,
                       .next = owed_ ? owed_->from : scanned_to_.height + 1,
                       .by_two = std::exchange(by_two_, {}),
                       .whole = std::exchange(whole_, {})});
}

void ScanPosition::store(std::uint32_t peers) {
  store();
  watcher_.on_witnessed(peers);
}

}  // namespace spv::sync
