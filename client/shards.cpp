#include "client/shards.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bip37/filter_plan.h"
#include "client/settings.h"

namespace spv::client {

void Shards::place(Held& held, const OpenWallets& wallets) {
  const auto source = source_of(setup_.options);
  const auto elements = held.open.wallet.watched_elements().size();
  const auto room = source == Source::Blocks ? std::numeric_limits<std::size_t>::max()
                                             : bip37::filter_capacity(fp_rate_of(setup_.options));
  if (source == Source::Filter) warn_of_size(held, elements);
  for (const auto& shard : shards_) {
    if (shard->session.elements() + elements > room || shard->session.empty()) continue;
    shard->session.add(held.id, held.open.wallet);
    held.shard = shard.get();
    return;
  }
  // One file of headers serves all: it begins where the oldest wallet does.
  shards_.push_back(std::make_unique<Shard>(wallets.oldest_base(), setup_.options.follow));
  held.shard = shards_.back().get();
  held.shard->session.add(held.id, held.open.wallet);
}

void Shards::warn_of_size(const Held& held, std::size_t elements) {
  if (bip37::fits_one_filter(elements, fp_rate_of(setup_.options))) return;
  events_.push(WarningEvent{"the wallet '" + held.name + "' watches " + std::to_string(elements) +
                            " scripts, too many for one filter at its false positive rate: every block is requested "
                            "with several filters, one after the other; with a nearby node set whole_blocks, which is "
                            "faster"});
}

void Shards::displace(Held& held) {
  Shard* shard = std::exchange(held.shard, nullptr);
  if (shard == nullptr) return;
  shard->session.remove(held.id);
  if (shard->session.empty()) erase(*shard);
}

bool Shards::contains(const Shard* shard) const {
  return std::ranges::any_of(shards_, [&](const auto& each) { return each.get() == shard; });
}

std::vector<Shard*> Shards::all() const {
  std::vector<Shard*> out;
  out.reserve(shards_.size());
  for (const auto& shard : shards_) out.push_back(shard.get());
  return out;
}

std::vector<Shard*> Shards::due() {
  if (empty()) return {};
  if (!first().session.started()) return {&first()};
  if (!first().session.progress()->headers_done) return {};
  first().session.flush_headers();
  auto out = all();
  std::erase_if(out, [](const Shard* shard) { return shard->session.started(); });
  return out;
}

bool Shards::others_can_start() const {
  const auto waits = [](const auto& shard) { return !shard->session.started(); };
  return std::ranges::any_of(shards_, waits) && shards_.front()->session.progress()->headers_done;
}

void Shards::count(const Shard& shard) {
  const auto bytes = shard.session.bytes();
  past_.in += bytes.in;
  past_.out += bytes.out;
}

void Shards::retire(Shard& shard) {
  count(shard);
  shard.rest();
}

void Shards::erase(const Shard& shard) {
  std::erase_if(shards_, [&](const auto& each) { return each.get() == &shard; });
}

void Shards::clear() {
  for (const auto& shard : shards_) count(*shard);
  shards_.clear();
}

const chain::HeaderStore* Shards::headers() const { return empty() ? nullptr : shards_.front()->session.headers(); }

void Shards::flush_headers() {
  for (const auto& shard : shards_) shard->session.flush_headers();
}

bool Shards::all_finished() const {
  return std::ranges::all_of(shards_, [](const auto& each) { return each->finished && !each->joining; });
}

bool Shards::all_ended() const {
  return !empty() && std::ranges::all_of(shards_, [](const auto& each) { return each->ended() && !each->joining; });
}

std::optional<chain::BlockRef> Shards::common_tip() const {
  if (empty()) return std::nullopt;
  const auto tip = shards_.front()->tip;
  const bool common = std::ranges::all_of(shards_, [&](const auto& each) { return each->tip == tip; });
  return common ? tip : std::nullopt;
}

ProgressEvent Shards::progress() const {
  ProgressEvent out;
  out.headers = headers()->tip_height();
  out.scanned = std::numeric_limits<std::int32_t>::max();
  out.bytes_in = past_.in;
  out.bytes_out = past_.out;
  for (const auto& shard : shards_) {
    const SyncProgress part = shard->session.progress().value_or(SyncProgress{});
    out.scanned = std::min(out.scanned, part.scanned);
    out.announced = std::max(out.announced, part.announced_height);
    out.peers += static_cast<std::uint32_t>(part.ready_peers);
    out.bytes_in += part.bytes.in;
    out.bytes_out += part.bytes.out;
  }
  return out;
}

util::Duration Shards::gather_time() const {
  return shards_.size() == 1 ? shards_.front()->session.gather_time() : util::Duration::zero();
}

}  // namespace spv::client
