// How wallets come to a Syncer, find a shard, and go.
#include <algorithm>
#include <limits>
#include <utility>

#include "client/errors.h"
#include "client/syncer.h"

namespace spv::client {

Held* Syncer::find(const std::string& name) {
  const auto found =
      std::find_if(wallets_.begin(), wallets_.end(), [&](const auto& item) { return item.second->name == name; });
  return found == wallets_.end() ? nullptr : found->second.get();
}

Held& Syncer::by_id(sync::MemberId id) { return *wallets_.at(id); }

const chain::HeaderStore* Syncer::headers() const { return shards_.empty() ? nullptr : shards_.front()->headers(); }

Result<void> Syncer::add(const std::string& name, OpenWallet open) {
  bool reaches = true;
  {
    const std::lock_guard lock(mutex);
    if (find(name) != nullptr) return {};
    const sync::MemberId id = next_id_++;
    auto& held = *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(open), {}})).first->second;
    if (io_ == nullptr) return {};
    const auto base = header_base(params_, held.open.wallet.config());
    reaches = shards_.empty() || shards_.front()->reaches(base);
    if (reaches) {
      const auto placed = guarded<void>([&]() -> Result<void> {
        place(held);
        shards_.front()->open_headers(setup());
        return {};
      });
      if (!placed) {
        wallets_.erase(id);
        return placed;
      }
      synced_told_ = false;
      later([this, id] {
        start_shards();
        Shard* shard = nullptr;
        {
          const std::lock_guard again(mutex);
          if (const auto found = wallets_.find(id); found != wallets_.end()) shard = found->second->shard;
        }
        if (shard != nullptr) shard->on_wallets_changed();
      });
    }
  }
  return reaches ? Result<void>{} : restart();  // its first block lies below all headers that are here
}

Result<void> Syncer::remove(const std::string& name) {
  const std::lock_guard lock(mutex);
  Held* held = find(name);
  if (held == nullptr) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is not open"};
  const auto saved = guarded<void>([&]() -> Result<void> {
    if (held->shard != nullptr) persist(*held->shard);
    if (deferred_.contains(held->id)) commit(*held);
    return {};
  });
  if (held->shard != nullptr) {
    held->shard->remove(held->id);
    later([this, shard = held->shard] { on_wallet_gone(shard); });
  }
  deferred_.erase(held->id);
  wallets_.erase(held->id);
  return saved;
}

// The first shard stays as long as there are others: it writes the headers.
void Syncer::on_wallet_gone(Shard* shard) {
  bool empty = false;
  {
    const std::lock_guard lock(mutex);
    if (std::ranges::none_of(shards_, [&](const auto& each) { return each.get() == shard; })) return;
    empty = shard->group().empty();
  }
  if (!empty) return shard->on_wallets_changed();
  shard->stop();
  const std::lock_guard lock(mutex);
  shard->flush_headers();
  past_.bytes_in += shard->traffic().bytes_in;
  past_.bytes_out += shard->traffic().bytes_out;
  std::erase_if(shards_, [&](const auto& each) { return each.get() == shard; });
}

void Syncer::reload_wallets() {
  for (auto& [id, held] : wallets_) {
    held->deferred = {};
    { const OpenWallet gone = std::move(held->open); }  // its lock goes before the file is opened again
    held->open = shelf_.open(held->name);
  }
  deferred_.clear();
}

// Into the first shard with room; the last resort is a new one.
void Syncer::place(Held& held) {
  const bool whole = options_.whole_blocks;
  const auto elements = held.open.wallet.watched_elements().size();
  const auto room = whole ? std::numeric_limits<std::size_t>::max() : Shard::capacity(setup().engine.fp_rate);
  for (const auto& shard : shards_) {
    if (shard->elements() + elements > room || shard->group().empty()) continue;
    shard->add(held.id, held.open.wallet);
    held.shard = shard.get();
    return;
  }
  // One file of headers serves all: it begins where the oldest wallet does.
  auto base = header_base(params_, held.open.wallet.config());
  for (const auto& [id, other] : wallets_) {
    auto theirs = header_base(params_, other->open.wallet.config());
    if (theirs.height < base.height) base = theirs;
  }
  auto shard = std::make_unique<Shard>(base);
  shard->add(held.id, held.open.wallet);
  held.shard = shard.get();
  shards_.push_back(std::move(shard));
}

}  // namespace spv::client
