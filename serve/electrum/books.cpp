#include "serve/electrum/books.h"

#include <algorithm>
#include <utility>

namespace spv::serve::electrum {
namespace {

const WatchedScripts kNone;

/// Another wallet of the same name: what is known of the older one is of no use.
bool is_another(const WalletView& before, const WalletView& now) {
  if (now.watched->size() < before.watched->size()) return true;
  for (std::size_t chain = 0; chain < before.watched->size(); ++chain) {
    const auto& old = (*before.watched)[chain];
    const auto& renewed = (*now.watched)[chain];
    if (renewed.size() < old.size() || (!old.empty() && renewed[old.size() - 1] != old.back())) return true;
  }
  return false;
}

std::vector<ScriptHash> changed(const WalletView& before, const WalletView& now) {
  std::vector<ScriptHash> out;
  for (const auto& [script, entry] : now.used) {
    const auto held = before.used.find(script);
    if (held == before.used.end() || held->second.status != entry.status) out.push_back(script);
  }
  for (const auto& [script, entry] : before.used) {
    if (!now.used.contains(script)) out.push_back(script);
  }
  return out;
}

}  // namespace

std::uint32_t Books::number_of(const std::string& wallet) {
  const auto [found, is_new] = numbers_.emplace(wallet, next_);
  if (is_new) ++next_;
  return found->second;
}

std::vector<ScriptHash> Books::put(const std::shared_ptr<const WalletView>& view) {
  const auto known = numbers_.find(view->name);
  if (known != numbers_.end() && is_another(*wallets_.at(known->second).view, *view)) remove(view->name);
  const auto number = number_of(view->name);
  Shelf& shelf = wallets_[number];
  const auto before = std::exchange(shelf.view, view);
  enter(number, before ? *before->watched : kNone, *view->watched);
  shelf.sound.resize(view->watched->size());
  shelf.ahead.resize(view->watched->size());
  for (std::size_t chain = 0; chain < shelf.sound.size(); ++chain) {
    const auto count = static_cast<std::uint32_t>((*view->watched)[chain].size());
    if (view->is_complete) shelf.sound[chain] = count;
    shelf.ahead[chain] = std::max(shelf.ahead[chain], count);
  }
  return changed(before ? *before : WalletView{}, *view);
}

void Books::enter(std::uint32_t number, const WatchedScripts& known, const WatchedScripts& now) {
  for (std::uint32_t chain = 0; chain < now.size(); ++chain) {
    const std::size_t from = chain < known.size() ? known[chain].size() : 0;
    for (std::size_t index = from; index < now[chain].size(); ++index) {
      owners_.emplace(now[chain][index], Owner{number, chain, static_cast<std::uint32_t>(index)});
      ahead_.erase(now[chain][index]);
    }
  }
}

void Books::remove(const std::string& wallet) {
  const auto known = numbers_.find(wallet);
  if (known == numbers_.end()) return;
  forget(known->second);
  wallets_.erase(known->second);
  numbers_.erase(known);
}

void Books::forget(std::uint32_t number) {
  const auto is_of = [number](const auto& entry) { return entry.second.wallet == number; };
  std::erase_if(owners_, is_of);
  std::erase_if(ahead_, is_of);
}

std::shared_ptr<const WalletView> Books::view(const std::string& wallet) const {
  const auto known = numbers_.find(wallet);
  return known == numbers_.end() ? nullptr : wallets_.at(known->second).view;
}

std::set<std::string> Books::names() const {
  std::set<std::string> out;
  for (const auto& [name, number] : numbers_) out.insert(name);
  return out;
}

std::vector<std::string> Books::incomplete() const {
  std::vector<std::string> out;
  for (const auto& [number, shelf] : wallets_) {
    if (!shelf.view->is_complete) out.push_back(shelf.view->name);
  }
  return out;
}

ScriptPlace Books::place_of(const Owner& owner) const {
  return {wallets_.at(owner.wallet).view->name, owner.chain, owner.index};
}

// Of several wallets that watch it, one that is scanned for it is enough.
Books::Found Books::find(const ScriptHash& script) const {
  Found out;
  const auto [first, last] = owners_.equal_range(script);
  for (auto it = first; it != last; ++it) {
    const auto& owner = it->second;
    const Shelf& shelf = wallets_.at(owner.wallet);
    out = {.kind = Found::Kind::Scanning, .place = place_of(owner), .scanned_to = shelf.view->scanned_to};
    if (owner.index >= shelf.sound[owner.chain]) continue;
    out.kind = Found::Kind::Known;
    return out;
  }
  if (first != last) return out;
  const auto ahead = ahead_.find(script);
  if (ahead != ahead_.end()) out = {.kind = Found::Kind::Ahead, .place = place_of(ahead->second)};
  return out;
}

std::vector<const WalletView::Entry*> Books::entries(const ScriptHash& script) const {
  std::vector<const WalletView::Entry*> out;
  const auto [first, last] = owners_.equal_range(script);
  for (auto it = first; it != last; ++it) {
    const auto& used = wallets_.at(it->second.wallet).view->used;
    const auto found = used.find(script);
    if (found != used.end() && std::ranges::find(out, &found->second) == out.end()) out.push_back(&found->second);
  }
  return out;
}

ScriptHistory Books::history(const ScriptHash& script) const {
  const auto found = entries(script);
  if (found.empty()) return {};
  if (found.size() == 1) return found.front()->history;
  std::vector<const ScriptHistory*> parts;
  parts.reserve(found.size());
  for (const auto* each : found) parts.push_back(&each->history);
  return merged(parts);
}

Status Books::status(const ScriptHash& script) const {
  const auto found = entries(script);
  if (found.empty()) return std::nullopt;
  return found.size() == 1 ? found.front()->status : status_of(history(script).lines);
}

std::optional<std::string> Books::holder(const chain::Txid& txid) const {
  for (const auto& [number, shelf] : wallets_) {
    if (shelf.view->places.contains(txid)) return shelf.view->name;
  }
  return std::nullopt;
}

std::optional<chain::Txid> Books::at(chain::Height height, std::uint32_t index) const {
  const HistoryLine wanted{.txid = {}, .height = height, .index = index};
  for (const auto& [number, shelf] : wallets_) {
    const auto& lines = shelf.view->lines;
    const auto found = std::lower_bound(lines.begin(), lines.end(), wanted, comes_before);
    if (found != lines.end() && found->height == height && found->index == index) return found->txid;
  }
  return std::nullopt;
}

std::vector<Stretch> Books::missing_ahead() const {
  std::vector<Stretch> out;
  std::size_t room = kMostAhead - std::min(kMostAhead, ahead_.size());
  for (const auto& [number, shelf] : wallets_) {
    for (std::uint32_t chain = 0; chain < shelf.ahead.size(); ++chain) {
      const auto& descriptor = shelf.view->descriptors[chain];
      const auto wanted = static_cast<std::uint32_t>((*shelf.view->watched)[chain].size()) + kAhead;
      if (!descriptor.is_ranged() || shelf.ahead[chain] >= wanted) continue;
      const std::uint32_t count = wanted - shelf.ahead[chain];
      if (count > room) return out;
      room -= count;
      out.push_back({shelf.view->name, chain, shelf.ahead[chain], count, descriptor});
    }
  }
  return out;
}

void Books::put_ahead(const Stretch& stretch, const std::vector<ScriptHash>& scripts) {
  const auto known = numbers_.find(stretch.wallet);
  if (known == numbers_.end()) return;
  Shelf& shelf = wallets_.at(known->second);
  // The wallet may have changed meanwhile.
  if (stretch.chain >= shelf.ahead.size() || shelf.ahead[stretch.chain] != stretch.first) return;
  std::uint32_t index = stretch.first;
  for (const auto& each : scripts) ahead_.emplace(each, Owner{known->second, stretch.chain, index++});
  shelf.ahead[stretch.chain] = index;
}

}  // namespace spv::serve::electrum
