#include "client/shards.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "client/tip_keeper.h"

namespace spv::client {

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
  return startable();
}

bool Shards::others_can_start() const {
  return !startable().empty() && shards_.front()->session.progress()->headers_done;
}

std::vector<Shard*> Shards::startable() const {
  const auto catches_up = [](const auto& shard) { return shard->catches_up && shard->session.started(); };
  auto running = static_cast<std::size_t>(std::ranges::count_if(shards_, catches_up));
  std::vector<Shard*> out;
  for (const auto& shard : shards_) {
    if (shard->session.started() || (shard->catches_up && running >= kMaxCatchingUp)) continue;
    if (shard->catches_up) ++running;
    out.push_back(shard.get());
  }
  return out;
}

// A block that `into` does not know yet would be taken back from the wallets, and what is told now ends with `from`.
bool Shards::can_unite(const Shard& into, const Shard& from) const {
  if (into.catches_up == from.catches_up || !has_room(into, from.session.elements())) return false;
  const Shard& late = into.catches_up ? into : from;
  return late.finished && into.at_rest() && from.at_rest() && into.session.has(from.session.tip()) &&
         !from.session.is_broadcasting();
}

std::optional<Shards::Union> Shards::next_union() {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    for (std::size_t j = i + 1; j < shards_.size(); ++j) {
      // Into the earlier one: the first of all keeps the headers.
      if (can_unite(*shards_[i], *shards_[j])) return Union{shards_[i].get(), shards_[j].get()};
    }
  }
  for (const auto& shard : shards_) {
    const bool is_there = shard->catches_up && shard->finished && shard->at_rest();
    if (is_there && with_room(shard->session.elements()) == nullptr) shard->catches_up = false;
  }
  return std::nullopt;
}

void Shards::unite(const Union& both, const OpenWallets& wallets) {
  for (const auto& [id, held] : wallets.all()) {
    if (held->shard != both.from) continue;
    both.from->session.remove(id);
    both.into->session.add(id, held->open.wallet);
    held->shard = both.into;
    drop_keeper(*both.into);
  }
  both.into->catches_up = false;
  both.into->joining = true;
}

void Shards::count(const Shard& shard) {
  const auto bytes = shard.session.bytes();
  past_.in += bytes.in;
  past_.out += bytes.out;
  if (const auto progress = shard.session.progress()) past_counts_ += progress->counts;
}

void Shards::retire(Shard& shard) {
  count(shard);
  shard.rest();
}

void Shards::erase(const Shard& shard) {
  std::erase_if(shards_, [&](const auto& each) { return each.get() == &shard; });
  const bool all_behind = std::ranges::all_of(shards_, [](const auto& each) { return each->catches_up; });
  if (all_behind && !empty()) first().catches_up = false;
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
  std::optional<chain::BlockRef> tip;
  for (const auto& shard : shards_) {
    if (shard->catches_up) continue;
    if (!shard->tip || shard->tip != tip.value_or(*shard->tip)) return std::nullopt;
    tip = shard->tip;
  }
  return tip;
}

std::optional<store::ChainView> Shards::chain_up_to(const chain::BlockRef& tip) const {
  for (const auto& shard : shards_) {
    if (!shard->catches_up && shard->session.started() && shard->session.tip() == tip) {
      return shard->session.chain_view();
    }
  }
  return std::nullopt;
}

std::vector<MemberId> Shards::holders(const chain::Txid& txid) const {
  std::vector<MemberId> out;
  for (const auto& shard : shards_) {
    const auto some = shard->session.holders(txid);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

ProgressEvent Shards::progress() const {
  ProgressEvent out;
  out.headers = headers()->tip_height();
  out.scanned = std::numeric_limits<std::int32_t>::max();
  out.bytes_in = past_.in;
  out.bytes_out = past_.out;
  for (const auto& shard : shards_) {
    const SyncProgress part = shard->session.progress().value_or(SyncProgress{});
    out.scanned = std::min(out.scanned, shard->position() - 1);
    out.announced = std::max(out.announced, part.announced_height);
    out.peers += static_cast<std::uint32_t>(part.ready_peers);
    out.bytes_in += part.bytes.in;
    out.bytes_out += part.bytes.out;
  }
  return out;
}

ChainSummary Shards::chain_summary() const {
  ChainSummary out;
  const auto* known = headers();
  if (known == nullptr) return out;
  out.synced = true;
  bool headers_done = false;
  for (const auto& shard : shards_) {
    const auto standing = shard->session.standing();
    headers_done = headers_done || standing.headers_done;
    out.synced = out.synced && standing.headers_done && shard->at_rest();
    out.peers += static_cast<std::uint32_t>(standing.ready_peers);
  }
  // The first header of a file is not one that a peer has shown.
  if (headers_done || known->tip_height() > known->base_height()) {
    out.tip = shards_.front()->session.tip();
    out.tip_time = known->at(out.tip->height).time;
  }
  return out;
}

SyncReport Shards::report(const net::Usage& usage) const {
  SyncReport out;
  const ChainSummary chain = chain_summary();
  out.tip = chain.tip;
  out.tip_time = chain.tip_time;
  out.synced = chain.synced;
  out.counts = past_counts_;
  out.bytes = past_;
  out.scanned = std::numeric_limits<chain::Height>::max();
  for (const auto& shard : shards_) {
    const SyncProgress part = shard->session.progress().value_or(SyncProgress{});
    out.headers_done = out.headers_done || part.headers_done;
    out.scanned = std::min(out.scanned, shard->position() - 1);
    out.announced = std::max(out.announced, part.announced_height);
    out.counts += part.counts;
    out.bytes.in += part.bytes.in;
    out.bytes.out += part.bytes.out;
    if (auto filter = shard->session.filter()) {
      filter->wallets = shard->session.size() - (shard->session.contains(kTipKeeper) ? 1 : 0);
      out.filters.push_back(*filter);
    }
    std::ranges::move(shard->session.peers(usage), std::back_inserter(out.peers));
  }
  return out;
}

util::Duration Shards::gather_time() const {
  return shards_.size() == 1 ? shards_.front()->session.gather_time() : util::Duration::zero();
}

}  // namespace spv::client
