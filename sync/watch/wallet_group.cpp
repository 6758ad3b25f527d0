#include "sync/watch/wallet_group.h"

#include <algorithm>
#include <utility>

#include "wallet/virtual_size.h"

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

/// The wallet's own transactions that wait for a block, parents first. A filtered block brings a transaction without
/// its witness, and a reorganisation may leave us with that: no node would take it.
std::vector<OwnTransaction> pending_of(const wallet::Wallet& wallet) {
  std::vector<OwnTransaction> own;
  if (wallet.all_confirmed()) return own;
  for (const auto& entry : wallet.history()) {
    if (entry.status != wallet::TxStatus::Unconfirmed || entry.set_apart != wallet::SetApart::No) continue;
    const wallet::TxRecord& record = *wallet.find(entry.txid);
    if (!entry.fee || std::ranges::any_of(record.tx.inputs, wallet::lacks_witness)) continue;
    const bool untaken = record.sending && !wallet::is_taken(record.sending->state);
    own.push_back({record.txid, record.tx, record.seen_at, untaken});
  }
  std::ranges::reverse(own);  // history is newest first
  return own;
}

/// What a step of one wallet comes to.
WatchEffect effect_of(const wallet::Changes& changes, chain::Height birthday) {
  WatchEffect effect;
  for (const auto& record : changes.transactions) {
    const auto height = record.confirmation ? std::optional(record.confirmation->block.height) : std::nullopt;
    effect.seen.push_back({record.txid, 0, height});
    effect.changed = true;
  }
  if (changes.widened) effect.widened_from = birthday;
  return effect;
}

}  // namespace

void WalletGroup::add(MemberId id, wallet::Wallet& wallet) {
  members_[id].wallet = &wallet;
  wallet.note_tip(known_tip_);
  // Whoever was alone until now is found through the router from here on, before the newcomer has joined.
  if (members_.size() != 2) return;
  for (auto& [other, member] : members_) {
    if (member.joined) route(other, member);
  }
}

void WalletGroup::remove(MemberId id) {
  const auto found = members_.find(id);
  if (found == members_.end()) return;
  if (found->second.routed) unroute(id, *found->second.wallet);
  members_.erase(found);
}

std::vector<MemberChanges> WalletGroup::take_changes() {
  std::vector<MemberChanges> all;
  for (auto& [id, member] : members_) {
    if (!member.pending.empty()) all.push_back({id, std::exchange(member.pending, {})});
  }
  for (auto& [id, pending] : left_) {
    if (!pending.empty()) all.push_back({id, std::exchange(pending, {})});
  }
  return all;
}

std::vector<MemberChanges> WalletGroup::take_left() {
  std::vector<MemberChanges> all;
  for (auto& [id, pending] : std::exchange(left_, {})) all.push_back({id, std::move(pending)});
  return all;
}

std::vector<MemberId> WalletGroup::holders(const chain::Txid& txid) const {
  auto found = possible_holders(txid);
  std::erase_if(found, [&](MemberId id) { return !members_.at(id).wallet->knows(txid); });
  return found;
}

std::vector<MemberId> WalletGroup::possible_holders(const chain::Txid& txid) const {
  if (routed_ == members_.size()) return router_.holders(txid);
  std::vector<MemberId> all;
  all.reserve(members_.size());
  for (const auto& [id, member] : members_) all.push_back(id);
  return all;
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

void WalletGroup::each_script(const VisitScript& visit) const {
  for (const auto& [id, member] : members_) {
    if (member.joined) member.wallet->each_script(visit);
  }
}

std::size_t WalletGroup::script_count() const {
  std::size_t count = 0;
  for (const auto& [id, member] : members_) count += member.joined ? member.wallet->script_count() : 0;
  return count;
}

std::vector<chain::OutPoint> WalletGroup::watched_outpoints() const {
  auto outpoints = of_all(&wallet::Wallet::watched_outpoints);
  sort_unique(outpoints);
  return outpoints;
}

wallet::FilterIdentity WalletGroup::filter_identity() const {
  return members_.empty() ? wallet::FilterIdentity{} : members_.begin()->second.wallet->config().filter;
}

std::vector<MemberId> WalletGroup::concerned(const chain::Transaction& tx) const {
  if (!is_sole()) return router_.route(tx);
  const auto& [id, member] = *members_.begin();
  return member.joined ? std::vector{id} : std::vector<MemberId>{};
}

bool WalletGroup::is_relevant(const chain::Transaction& tx) const {
  return std::ranges::any_of(concerned(tx), [&](MemberId id) { return members_.at(id).wallet->is_relevant(tx); });
}

const chain::Transaction* WalletGroup::find(const chain::Txid& txid) const {
  for (const MemberId id : possible_holders(txid)) {
    if (const auto* record = members_.at(id).wallet->find(txid)) return &record->tx;
  }
  return nullptr;
}

chain::Amount WalletGroup::net_of(const chain::Transaction& tx) const {
  chain::Amount net = 0;
  for (const MemberId id : concerned(tx)) {
    net = std::clamp(net + members_.at(id).wallet->net_of(tx), -chain::kMaxMoney, chain::kMaxMoney);
  }
  return net;
}

std::vector<Conflict> WalletGroup::conflicts() const {
  std::vector<Conflict> all;
  for (const auto& [id, member] : members_) {
    if (!member.conflicts) member.conflicts = member.wallet->conflicts();
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
    for (auto& own : pending_of(*member.wallet)) {
      order.push_back(own.txid);
      left.emplace(own.txid, std::move(own));
    }
  }
  std::vector<OwnTransaction> all;
  for (const auto& txid : order) place(txid, left, all);
  return all;
}

// --- transactions -------------------------------------------------------------------------------------------------

void WalletGroup::take(MemberId id, Member& member, wallet::Changes changes) {
  if (changes.empty()) return;
  if (member.routed) {
    if (changes.widened) {
      route_all(id, *member.wallet);  // outputs of what it holds may be its own only now
    } else {
      for (const auto& record : changes.transactions) route_transaction(id, *member.wallet, record);
    }
  }
  if (!changes.transactions.empty()) ++version_;
  member.conflicts.reset();
  member.pending.merge(std::move(changes));
}

template <typename Apply>
WatchEffect WalletGroup::offer(const chain::Transaction& tx, Apply apply) {
  WatchEffect effect;
  for (const MemberId id : concerned(tx)) {
    Member& member = members_.at(id);
    if (!is_sole() && !member.wallet->is_relevant(tx)) continue;
    wallet::Changes changes = apply(*member.wallet);
    if (changes.widened && may_leave_ && !is_sole()) {
      leave(id, std::move(changes));
      continue;
    }
    effect.merge(effect_of(changes, member.wallet->config().birthday));
    take(id, member, std::move(changes));
  }
  return effect;
}

WatchEffect WalletGroup::on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                                      util::ByteView proof, util::UnixTime now) {
  WatchEffect effect =
      offer(tx, [&](wallet::Wallet& wallet) { return wallet.apply_confirmed(tx, confirmation, proof, now); });
  if (!effect.empty()) effect.merge(adopt_orphans(now));
  return settled(std::move(effect));
}

WatchEffect WalletGroup::on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) {
  if (!is_sole() && !is_relevant(tx)) {
    wallet::TxRecord record;
    record.txid = tx.txid();
    record.tx = tx;
    record.first_seen = now;
    orphans_.add(std::move(record));
    return {};
  }
  WatchEffect effect = offer(tx, [&](wallet::Wallet& wallet) { return wallet.apply_unconfirmed(tx, now); });
  if (!effect.empty()) effect.merge(adopt_orphans(now));
  return settled(std::move(effect));
}

util::Expected<void, wallet::PaymentError> WalletGroup::add_own(MemberId id, const chain::Transaction& tx,
                                                                wallet::SendState state, util::UnixTime now,
                                                                const wallet::OwnPaymentTerms& terms) {
  Member& payer = members_.at(id);
  auto changes = payer.wallet->add_own(tx, state, now, terms);
  if (!changes) return util::Unexpected{changes.error()};
  const bool widened = changes->widened;
  take(id, payer, std::move(*changes));
  // No peer tells us what we have told: the others would learn of it from a block only.
  const WatchEffect effect = offer(tx, [&](wallet::Wallet& wallet) {
    return &wallet == payer.wallet ? wallet::Changes{} : wallet.apply_unconfirmed(tx, now);
  });
  if (effect.widened_from) on_owed({*effect.widened_from, standing().scanned_to.height});
  if (widened && may_leave_ && !is_sole()) leave(id, {});
  return {};
}

bool WalletGroup::is_own(const chain::Transaction& tx) const {
  return std::ranges::any_of(concerned(tx), [&](MemberId id) { return members_.at(id).wallet->is_own(tx); });
}

WatchEffect WalletGroup::settled(WatchEffect effect) const {
  std::erase_if(effect.seen, [this](const TransactionSeen& seen) {
    const auto* tx = find(seen.txid);  // its wallet may have left since
    return tx == nullptr || !is_own(*tx);
  });
  for (auto& seen : effect.seen) seen.net = net_of(*find(seen.txid));
  return effect;
}

// A child may come before its parent, and a grandchild before both.
WatchEffect WalletGroup::adopt_orphans(util::UnixTime now) {
  WatchEffect effect;
  const auto ours = [this](const chain::Transaction& tx) { return is_relevant(tx); };
  for (auto found = orphans_.take_if(ours); !found.empty(); found = orphans_.take_if(ours)) {
    for (const auto& orphan : found) {
      effect.merge(offer(orphan.tx, [&](wallet::Wallet& wallet) { return wallet.apply_unconfirmed(orphan.tx, now); }));
    }
  }
  return effect;
}

void WalletGroup::on_tip(chain::Height height) {
  if (std::exchange(known_tip_, height) == height) return;
  for (auto& [id, member] : members_) member.wallet->note_tip(height);
}

}  // namespace spv::sync
