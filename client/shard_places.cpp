// Which shard a wallet is followed in.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "bip37/filter_plan.h"
#include "client/settings.h"
#include "client/shards.h"
#include "client/tip_keeper.h"
#include "sync/watch/alignment.h"

namespace spv::client {
namespace {

/// The next block of those that have scanned the most and owe nothing; nothing where all begin.
std::optional<chain::Height> front_of(const OpenWallets& wallets) {
  std::optional<chain::Height> front;
  for (const auto& [id, held] : wallets.all()) {
    const auto& scan = held->open.wallet.scan();
    if (scan.scanned_to.hash.is_zero() || scan.backfill) continue;
    front = std::max(front.value_or(0), scan.scanned_to.height + 1);
  }
  return front;
}

/// The times of blocks grow but for a few.
chain::Height first_since(util::UnixTime time, const chain::HeaderStore& headers) {
  chain::Height low = headers.base_height();
  chain::Height high = headers.tip_height() + 1;
  while (low < high) {
    const chain::Height middle = low + (high - low) / 2;
    if (headers.at(middle).time < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t elements_of(const Held& held) { return held.open.wallet.watched_elements().size(); }

}  // namespace

void Shards::place_all(const OpenWallets& wallets, const std::function<void()>& open_headers) {
  const auto front = setup_.options.follow ? front_of(wallets) : std::nullopt;
  std::vector<Held*> behind;
  for (const auto& [id, held] : wallets.all()) {
    if (front && sync::position_of(held->open.wallet) + kNear < *front) {
      behind.push_back(held.get());
    } else {
      place(*held, wallets);
    }
  }
  keep_tip(wallets);
  open_headers();
  for (Held* held : behind) place_by_position(*held, wallets);
}

void Shards::place(Held& held, const OpenWallets& wallets) {
  const std::size_t elements = elements_of(held);
  warn_of_size(held, elements);
  Shard* shard = with_room(elements);
  put(held, shard != nullptr ? *shard : make(wallets, false));
}

void Shards::place_by_position(Held& held, const OpenWallets& wallets) {
  if (!setup_.options.follow || empty()) return place(held, wallets);
  const std::size_t elements = elements_of(held);
  warn_of_size(held, elements);
  put(held, near(first_lacking(held.open.wallet), elements, wallets));
}

void Shards::keep_tip(const OpenWallets& wallets) {
  if (!setup_.options.follow_all || !setup_.options.follow || !wallets.all().empty()) return;
  if (empty()) static_cast<void>(make(wallets, false));
  if (!first().session.empty()) return;
  keeper_ = std::make_unique<wallet::Wallet>(make_tip_keeper(setup_.params, setup_.clock().wall));
  first().session.add(kTipKeeper, *keeper_);
  first().begins_at = std::min(first().begins_at, first_lacking(*keeper_));
}

void Shards::drop_keeper(Shard& shard) {
  if (shard.session.contains(kTipKeeper)) shard.session.remove(kTipKeeper);
}

void Shards::put(Held& held, Shard& shard) {
  shard.session.add(held.id, held.open.wallet);
  drop_keeper(shard);
  shard.begins_at = std::min(shard.begins_at, first_lacking(held.open.wallet));
  held.shard = &shard;
}

void Shards::displace(Held& held) {
  Shard* shard = std::exchange(held.shard, nullptr);
  if (shard == nullptr) return;
  shard->session.remove(held.id);
  if (shard->session.empty()) erase(*shard);
}

void Shards::warn_of_size(const Held& held, std::size_t elements) {
  if (source_of(setup_.options) != Source::Filter) return;
  if (bip37::fits_one_filter(elements, fp_rate_of(setup_.options))) return;
  events_.push(WarningEvent{"the wallet '" + held.name + "' watches " + std::to_string(elements) +
                            " scripts, too many for one filter at its false positive rate: every block is requested "
                            "with several filters, one after the other; with a nearby node set whole_blocks, which is "
                            "faster"});
}

// --- the choice -----------------------------------------------------------------------------------------------------

std::size_t Shards::room() const {
  const Source source = source_of(setup_.options);
  const bool unlimited = source == Source::Blocks || source == Source::Compact;
  return unlimited ? std::numeric_limits<std::size_t>::max() : bip37::filter_capacity(fp_rate_of(setup_.options));
}

Shard* Shards::with_room(std::size_t elements) const {
  const auto found = std::ranges::find_if(shards_, [&](const auto& shard) {
    return !shard->catches_up && !shard->session.empty() && has_room(*shard, elements);
  });
  return found == shards_.end() ? nullptr : found->get();
}

// A shard that is above a wallet would have to go back for it; in one that is far below, the wallet would wait.
Shard& Shards::near(chain::Height first, std::size_t elements, const OpenWallets& wallets) {
  const Shard* full = nullptr;
  for (const auto& shard : shards_) {
    if (shard->session.empty() || std::abs(shard->position() - first) > kNear) continue;
    if (has_room(*shard, elements)) return *shard;
    full = shard.get();
  }
  if (full != nullptr) return make(wallets, full->catches_up);
  return far_from_all(first, elements, wallets);
}

Shard& Shards::far_from_all(chain::Height first, std::size_t elements, const OpenWallets& wallets) {
  const auto catching_up = std::ranges::count_if(shards_, [](const auto& shard) { return shard->catches_up; });
  if (static_cast<std::size_t>(catching_up) < kMaxCatchingUp) {
    const auto is_above = [&](const auto& shard) { return !shard->catches_up && shard->position() > first; };
    return std::ranges::any_of(shards_, is_above) ? make(wallets, true) : make_ahead(wallets);
  }
  if (Shard* below = highest_below(first, elements)) return *below;
  Shard* waiting = waiting_with_room(elements);
  return waiting != nullptr ? *waiting : make(wallets, true);
}

Shard* Shards::waiting_with_room(std::size_t elements) const {
  std::size_t before = 0;
  for (const auto& shard : shards_) {
    if (!shard->catches_up || before++ < kMaxCatchingUp || shard->session.started()) continue;
    if (!shard->session.empty() && has_room(*shard, elements)) return shard.get();
  }
  return nullptr;
}

Shard* Shards::highest_below(chain::Height height, std::size_t elements) const {
  Shard* highest = nullptr;
  for (const auto& shard : shards_) {
    if (shard->session.empty() || shard->position() > height || !has_room(*shard, elements)) continue;
    if (highest == nullptr || shard->position() > highest->position()) highest = shard.get();
  }
  return highest;
}

Shard& Shards::make(const OpenWallets& wallets, bool catches_up) {
  // One file of headers serves all: it begins where the oldest wallet does.
  shards_.push_back(std::make_unique<Shard>(wallets.oldest_base(), setup_.options.follow));
  shards_.back()->catches_up = catches_up;
  return *shards_.back();
}

Shard& Shards::make_ahead(const OpenWallets& wallets) {
  for (const auto& shard : shards_) shard->catches_up = true;
  return make(wallets, false);
}

chain::Height Shards::first_lacking(const wallet::Wallet& wallet) const {
  const chain::Height first = sync::position_of(wallet);
  const auto* known = headers();
  if (known == nullptr) return first;
  if (const auto born = wallet.config().birthday_time) return first_since(*born, *known);
  const auto progress = shards_.front()->session.progress();
  return progress && progress->headers_done ? std::min(first, known->tip_height() + 1) : first;
}

}  // namespace spv::client
