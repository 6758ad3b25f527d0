#include "sync/watch/wallet_group.h"

#include <algorithm>
#include <utility>

#include "sync/watch/wallet_watcher.h"

namespace spv::sync {
namespace {

/// A transaction after those of `left` that it spends from; each is taken out of `left`.
void place(const chain::Txid& txid, std::map<chain::Txid, OwnTransaction>& left, std::vector<OwnTransaction>& out) {
  const auto found = left.find(txid);
  if (found == left.end()) return;
  const OwnTransaction own = std::move(found->second);
  left.erase(found);
  for (const auto& input : own.tx.inputs) place(input.previous.txid, left, out);
  out.push_back(own);
}

template <typename T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

void WalletGroup::add(MemberId id, wallet::Wallet& wallet) {
  Member& member = members_[id];
  member.wallet = &wallet;
  wallet.note_tip(known_tip_);
  sum_up();
}

void WalletGroup::remove(MemberId id) {
  if (members_.erase(id) == 0) return;
  router_.remove(id);
  sum_up();
}

std::vector<WalletGroup::MemberChanges> WalletGroup::take_changes() {
  std::vector<MemberChanges> all;
  for (auto& [id, member] : members_) {
    if (!member.pending.empty()) all.push_back({id, std::exchange(member.pending, {})});
  }
  return all;
}

std::vector<MemberId> WalletGroup::holders(const chain::Txid& txid) const {
  std::vector<MemberId> found;
  for (const auto& [id, member] : members_) {
    if (member.wallet->knows(txid)) found.push_back(id);
  }
  return found;
}

// --- what to watch ------------------------------------------------------------------------------------------------

template <typename Item>
std::vector<Item> WalletGroup::of_all(std::vector<Item> (wallet::Wallet::*watched)() const) const {
  std::vector<Item> all;
  for (const auto& [id, member] : members_) {
    if (!member.joined) continue;
    auto own = (member.wallet->*watched)();
    std::ranges::move(own, std::back_inserter(all));
  }
  return all;
}

std::vector<util::Bytes> WalletGroup::filter_elements() const {
  auto elements = of_all(&wallet::Wallet::watched_elements);
  sort_unique(elements);
  for (const auto& outpoint : watched_outpoints()) elements.push_back(util::to_bytes(outpoint.bytes()));
  return elements;
}

std::vector<util::Bytes> WalletGroup::watched_scripts() const { return of_all(&wallet::Wallet::watched_scripts); }

std::vector<chain::OutPoint> WalletGroup::watched_outpoints() const {
  auto outpoints = of_all(&wallet::Wallet::watched_outpoints);
  sort_unique(outpoints);
  return outpoints;
}

wallet::FilterIdentity WalletGroup::filter_identity() const {
  return members_.empty() ? wallet::FilterIdentity{} : members_.begin()->second.wallet->config().filter;
}

bool WalletGroup::is_relevant(const chain::Transaction& tx) const {
  const auto members = router_.route(tx);
  return std::ranges::any_of(members, [&](MemberId id) { return members_.at(id).wallet->is_relevant(tx); });
}

const chain::Transaction* WalletGroup::find(const chain::Txid& txid) const {
  for (const auto& [id, member] : members_) {
    if (const auto* record = member.wallet->find(txid)) return &record->tx;
  }
  return nullptr;
}

chain::Amount WalletGroup::net_of(const chain::Transaction& tx) const {
  chain::Amount net = 0;
  for (const MemberId id : router_.route(tx)) {
    net = std::clamp(net + members_.at(id).wallet->net_of(tx), -chain::kMaxMoney, chain::kMaxMoney);
  }
  return net;
}

std::vector<Conflict> WalletGroup::conflicts() const {
  std::vector<Conflict> all;
  for (const auto& [id, member] : members_) {
    if (!member.conflicts) member.conflicts = WalletWatcher(*member.wallet).conflicts();
    all.insert(all.end(), member.conflicts->begin(), member.conflicts->end());
  }
  return all;
}

// One wallet's may spend what another's has paid it.
std::vector<OwnTransaction> WalletGroup::own_pending() const {
  std::map<chain::Txid, OwnTransaction> left;
  std::vector<chain::Txid> order;
  for (const auto& [id, member] : members_) {
    if (!member.joined) continue;
    for (auto& own : WalletWatcher(*member.wallet).own_pending()) {
      order.push_back(own.txid);
      left.emplace(own.txid, std::move(own));
    }
  }
  std::vector<OwnTransaction> all;
  for (const auto& txid : order) place(txid, left, all);
  return all;
}

// --- what happened ------------------------------------------------------------------------------------------------

void WalletGroup::take(MemberId id, Member& member, wallet::Changes changes, wallet::Changes& digest) {
  if (changes.empty()) return;
  for (const auto& record : changes.transactions) router_.add_transaction(record.tx, record.txid, id);
  if (changes.widened) {
    for (const auto& script : member.wallet->watched_scripts()) router_.add_script(script, id);
    const chain::Height birthday = member.wallet->config().birthday;
    widened_from_ = std::min(widened_from_.value_or(birthday), birthday);
  }
  member.conflicts.reset();
  member.pending.merge(changes);
  changes.key_chains.clear();  // their numbers mean nothing beyond the wallet
  changes.scan = scan_;
  digest.merge(std::move(changes));
}

template <typename Apply>
wallet::Changes WalletGroup::offer(const chain::Transaction& tx, Apply apply) {
  wallet::Changes digest;
  for (const MemberId id : router_.route(tx)) {
    Member& member = members_.at(id);
    if (member.wallet->is_relevant(tx)) take(id, member, apply(*member.wallet), digest);
  }
  return digest;
}

wallet::Changes WalletGroup::on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                                          util::ByteView proof, util::UnixTime now) {
  auto digest = offer(tx, [&](wallet::Wallet& wallet) { return wallet.apply_confirmed(tx, confirmation, proof, now); });
  if (!digest.empty()) adopt_orphans(now, digest);
  return digest;
}

wallet::Changes WalletGroup::on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) {
  if (!is_relevant(tx)) {
    wallet::TxRecord record;
    record.txid = tx.txid();
    record.tx = tx;
    record.first_seen = now;
    orphans_.add(std::move(record));
    return {};
  }
  auto digest = offer(tx, [&](wallet::Wallet& wallet) { return wallet.apply_unconfirmed(tx, now); });
  if (!digest.empty()) adopt_orphans(now, digest);
  return digest;
}

// A child may come before its parent, and a grandchild before both.
void WalletGroup::adopt_orphans(util::UnixTime now, wallet::Changes& digest) {
  const auto ours = [this](const chain::Transaction& tx) { return is_relevant(tx); };
  for (auto found = orphans_.take_if(ours); !found.empty(); found = orphans_.take_if(ours)) {
    for (const auto& orphan : found) {
      digest.merge(offer(orphan.tx, [&](wallet::Wallet& wallet) { return wallet.apply_unconfirmed(orphan.tx, now); }));
    }
  }
}

void WalletGroup::note_tip(chain::Height height) {
  if (std::exchange(known_tip_, height) == height) return;
  for (auto& [id, member] : members_) member.wallet->note_tip(height);
}

}  // namespace spv::sync
