// How wallets come to a Syncer, find a shard, and go.
#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "bip37/filter_plan.h"
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

Result<Syncer::Added> Syncer::add(const std::string& name, OpenWallet open) {
  const std::lock_guard lock(mutex);
  if (find(name) != nullptr) return Added::Done;
  const auto base = header_base(params_, open.wallet.config());
  const bool reaches = !running_ || shards_.empty() || shards_.front()->reaches(base);
  if (!reaches && on_own_thread()) return not_from_callback();
  Held& held = hold(name, std::move(open));
  if (!running_) return Added::Done;
  if (!reaches) return Added::NeedsRestart;
  const auto taken = take_in(held);
  if (!taken) return taken.error();
  return Added::Done;
}

Result<void> Syncer::restart_for(const std::string& name) {
  auto restarted = restart();
  if (!restarted) static_cast<void>(remove(name));
  return restarted;
}

Held& Syncer::hold(const std::string& name, OpenWallet open) {
  std::erase(shut_, name);
  const sync::MemberId id = next_id_++;
  return *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(open), {}, {}})).first->second;
}

Result<void> Syncer::take_in(Held& held) {
  auto placed = guarded<void>([&]() -> Result<void> {
    place(held);
    shards_.front()->open_headers(setup());
    return {};
  });
  if (!placed) {
    displace(held);
    wallets_.erase(held.id);
    return placed;
  }
  held.shard->joining = true;
  later([this, shard = held.shard] { on_wallets_changed(shard); });
  return {};
}

Result<void> Syncer::remove(const std::string& name) {
  const std::lock_guard lock(mutex);
  if (std::erase(shut_, name) != 0) return {};
  Held* held = find(name);
  if (held == nullptr) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is not open"};
  const auto saved = guarded<void>([&]() -> Result<void> {
    if (held->shard != nullptr) collect(held->shard->group().take_changes());
    if (deferred_.contains(held->id)) commit(*held);
    return {};
  });
  if (held->shard != nullptr) {
    held->shard->remove(held->id);
    later([this, shard = held->shard] { on_wallets_changed(shard); });
  }
  deferred_.erase(held->id);
  wallets_.erase(held->id);
  return saved;
}

// The first shard writes the headers, and the others wait for them: where it goes, those begin anew behind another one.
void Syncer::on_wallets_changed(Shard* shard) {
  const auto all = shards();
  if (std::ranges::find(all, shard) == all.end()) return;
  bool empty = false;
  bool joined = false;
  {
    const std::lock_guard lock(mutex);
    empty = shard->group().empty();
    joined = std::exchange(shard->joining, false);
    if (joined) synced_told_ = false;
  }
  if (empty) {
    for (Shard* each : all) {
      if (shard == all.front() || shard == each) retire(*each);
    }
    const std::lock_guard lock(mutex);
    std::erase_if(shards_, [&](const auto& each) { return each.get() == shard; });
    tell_tip();  // the others may have waited for this one
  } else if (!shard->ended()) {
    shard->on_wallets_changed();
  } else if (joined) {
    retire(*shard);
  }
  go_on();
}

void Syncer::retire(Shard& shard) {
  shard.stop();
  const std::lock_guard lock(mutex);
  past_.bytes_in += shard.traffic().bytes_in;
  past_.bytes_out += shard.traffic().bytes_out;
  shard.rest();
}

// Memory is ahead of the files: all are closed, and read again. One that cannot be read stays closed until the next
// try.
void Syncer::reload_wallets() {
  if (std::exchange(stale_, false)) {
    for (const auto& [id, held] : wallets_) shut_.push_back(held->name);
    wallets_.clear();
    deferred_.clear();
  }
  std::exception_ptr trouble;
  for (const auto& name : std::vector(shut_)) {
    try {
      hold(name, shelf_.open(name));
    } catch (...) {
      trouble = std::current_exception();
    }
  }
  if (trouble) std::rethrow_exception(trouble);
}

// Into the first shard with room; the last resort is a new one.
void Syncer::place(Held& held) {
  const bool whole = options_.whole_blocks;
  const auto elements = held.open.wallet.watched_elements().size();
  const double rate = setup().engine.fp_rate;
  const auto room = whole ? std::numeric_limits<std::size_t>::max() : bip37::filter_capacity(rate);
  if (!whole) warn_of_size(held, elements, rate);
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
  Shard& shard = *shards_.emplace_back(std::make_unique<Shard>(base));
  held.shard = &shard;
  shard.add(held.id, held.open.wallet);
}

void Syncer::warn_of_size(const Held& held, std::size_t elements, double fp_rate) {
  if (bip37::fits_one_filter(elements, fp_rate)) return;
  events_.push(WarningEvent{"the wallet '" + held.name + "' watches " + std::to_string(elements) +
                            " scripts, more than a filter holds at its rate: every block is asked for under several "
                            "filters, one after the other; with a node near "
                            "by set whole_blocks, which is quicker"});
}

// A shard that was made for it goes too; nobody else knows of that one yet.
void Syncer::displace(Held& held) {
  Shard* shard = std::exchange(held.shard, nullptr);
  if (shard == nullptr) return;
  shard->remove(held.id);
  if (shard->group().empty()) std::erase_if(shards_, [&](const auto& each) { return each.get() == shard; });
}

}  // namespace spv::client
