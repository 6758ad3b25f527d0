#include "sync/wallet_group.h"

#include <algorithm>
#include <utility>

#include "sync/alignment.h"
#include "sync/wallet_watcher.h"
#include "util/ensure.h"

namespace spv::sync {
namespace {

/// Wallets born within this time of each other begin at the same block.
constexpr util::UnixTime kSameDay = 86'400;

/// The first block that a wallet lacks.
chain::Height position_of(const wallet::ScanState& scan, chain::Height birthday) {
  if (scan.backfill) return scan.backfill->from;
  const chain::Height next = scan.scanned_to.height + 1;
  return scan.scanned_to.hash.is_zero() ? std::max(next, birthday) : next;
}

/// All up to `to` is scanned, but for the blocks from `from` on.
wallet::ScanState moved(wallet::ScanState scan, const chain::BlockRef& to, chain::Height from) {
  if (scan.scanned_to != to) scan.peers = scan.time = 0;
  scan.scanned_to = to;
  scan.backfill.reset();
  if (from <= to.height) scan.backfill = wallet::HeightRange{from, to.height};
  return scan;
}

/// `own`, and what was added between two counts.
wallet::Attestation added(const wallet::Attestation& own, const wallet::Attestation& before,
                          const wallet::Attestation& after) {
  using Period = wallet::Attestation::Period;
  std::map<std::uint32_t, Period> sums;
  for (const Period& period : own.periods()) sums[period.index] = period;
  for (const Period& period : after.periods()) {
    const auto& known = before.periods();
    const auto was = std::ranges::lower_bound(known, period.index, {}, &Period::index);
    const Period old = was != known.end() && was->index == period.index ? *was : Period{};
    const auto grown = [](std::uint16_t count, std::uint16_t then, std::uint16_t now, int room) {
      return static_cast<std::uint16_t>(count + std::clamp(now - then, 0, std::max(room, 0)));
    };
    Period& sum = sums[period.index];
    sum.index = period.index;
    sum.by_two = grown(sum.by_two, old.by_two, period.by_two, wallet::Attestation::kPeriod - sum.by_two - sum.whole);
    sum.whole = grown(sum.whole, old.whole, period.whole, wallet::Attestation::kPeriod - sum.by_two - sum.whole);
  }
  std::vector<Period> periods;
  for (const auto& [index, sum] : sums) {
    if (sum.by_two != 0 || sum.whole != 0) periods.push_back(sum);
  }
  wallet::Attestation all;
  util::ensure(all.restore(std::move(periods)), "counts of a period stay within it");
  return all;
}

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

std::vector<util::Bytes> WalletGroup::filter_elements() const {
  std::vector<util::Bytes> elements;
  for (const auto& [id, member] : members_) {
    if (!member.joined) continue;
    auto own = member.wallet->watched_elements();
    std::ranges::move(own, std::back_inserter(elements));
  }
  sort_unique(elements);
  for (const auto& outpoint : watched_outpoints()) elements.push_back(util::to_bytes(outpoint.bytes()));
  return elements;
}

std::vector<util::Bytes> WalletGroup::watched_scripts() const {
  std::vector<util::Bytes> scripts;
  for (const auto& [id, member] : members_) {
    if (!member.joined) continue;
    auto own = member.wallet->watched_scripts();
    std::ranges::move(own, std::back_inserter(scripts));
  }
  return scripts;
}

std::vector<chain::OutPoint> WalletGroup::watched_outpoints() const {
  std::vector<chain::OutPoint> outpoints;
  for (const auto& [id, member] : members_) {
    if (!member.joined) continue;
    const auto own = member.wallet->watched_outpoints();
    outpoints.insert(outpoints.end(), own.begin(), own.end());
  }
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

// --- where it stands ----------------------------------------------------------------------------------------------

wallet::Changes WalletGroup::align(const chain::HeaderChain& chain) {
  wallet::Changes digest;
  chain::BlockRef last;
  for (auto& [id, member] : members_) {
    wallet::Wallet& wallet = *member.wallet;
    const auto standing = standing_of(wallet.scan(), wallet.config().birthday, chain);
    take(id, member, wallet.disconnect_above(standing), digest);
    if (!member.joined) {
      for (const auto& script : wallet.watched_scripts()) router_.add_script(script, id);
      for (const auto& entry : wallet.history()) router_.add_transaction(wallet.find(entry.txid)->tx, entry.txid, id);
      member.joined = true;
    }
    last.height = std::max(last.height, std::min(standing.height, chain.height()));
  }
  last.hash = chain.hash_at(last.height).value_or(chain::BlockHash{});
  chain::Height first = last.height + 1;
  for (auto& [id, member] : members_) {
    wallet::Wallet& wallet = *member.wallet;
    const auto from = position_of(wallet.scan(), wallet.config().birthday);
    first = std::min(first, from);
    wallet::ScanState scan = moved(wallet.scan(), last, from);
    if (const auto header = chain.at(last.height)) scan.time = header->time;
    take(id, member, wallet.set_scan(std::move(scan)), digest);
  }
  forget_attested(first, last.height, digest);
  sum_up();
  return digest;
}

wallet::Changes WalletGroup::on_disconnected_above(const chain::BlockRef& fork) {
  wallet::Changes digest;
  for (auto& [id, member] : members_) {
    if (member.joined) take(id, member, member.wallet->disconnect_above(fork), digest);
  }
  orphans_.disconnect_above(fork.height, [] { return std::uint64_t{0}; });
  scan_.attested.forget(fork.height + 1, scan_.scanned_to.height);
  sum_up();
  return digest;
}

wallet::Changes WalletGroup::set_scan(wallet::ScanState scan) {
  wallet::Changes digest;
  const chain::Height before = position_of(scan_, config_.birthday);
  const chain::Height now = position_of(scan, config_.birthday);
  widened_from_.reset();
  if (now < before) forget_attested(now, scan.scanned_to.height, digest);
  for (auto& [id, member] : members_) {
    if (!member.joined) continue;
    wallet::Wallet& wallet = *member.wallet;
    const chain::Height birthday = wallet.config().birthday;
    const chain::Height own = position_of(wallet.scan(), birthday);
    // Forward: all below is scanned for everyone. Back: everyone owes a second look.
    const chain::Height from = now >= before ? std::max(own, now) : std::min(own, std::max(now, birthday));
    wallet::ScanState next = moved(wallet.scan(), scan.scanned_to, from);
    next.attested = added(next.attested, scan_.attested, scan.attested);
    next.peers = scan.peers;
    next.time = scan.time;
    take(id, member, wallet.set_scan(std::move(next)), digest);
  }
  scan_.attested = std::move(scan.attested);
  sum_up();
  return digest;
}

// Blocks that are asked for again count again, for those too that had them already.
void WalletGroup::forget_attested(chain::Height from, chain::Height to, wallet::Changes& digest) {
  scan_.attested.forget(from, to);
  for (auto& [id, member] : members_) {
    wallet::ScanState scan = member.wallet->scan();
    scan.attested.forget(from, to);
    take(id, member, member.wallet->set_scan(std::move(scan)), digest);
  }
}

wallet::Changes WalletGroup::set_birthday(chain::Height height) {
  wallet::Changes digest;
  if (!config_.birthday_time) return digest;
  const util::UnixTime latest = *config_.birthday_time + kSameDay;
  for (auto& [id, member] : members_) {
    const auto born = member.wallet->config().birthday_time;
    if (born && *born <= latest) take(id, member, member.wallet->set_birthday(height), digest);
  }
  sum_up();
  return digest;
}

void WalletGroup::sum_up() {
  config_.birthday = 0;
  config_.birthday_time.reset();
  scan_ = {.scanned_to = {}, .backfill = {}, .anchors = {}, .attested = std::move(scan_.attested)};
  bool first = true;
  chain::Height from = 0;
  for (const auto& [id, member] : members_) {
    const auto& config = member.wallet->config();
    const auto& scan = member.wallet->scan();
    const auto own = position_of(scan, config.birthday);
    from = first ? own : std::min(from, own);
    config_.birthday = first ? config.birthday : std::min(config_.birthday, config.birthday);
    if (scan.scanned_to.height >= scan_.scanned_to.height) {
      scan_.scanned_to = scan.scanned_to;
      scan_.peers = scan.peers;
      scan_.time = scan.time;
    }
    const auto& born = config.birthday_time;
    if (born && (!config_.birthday_time || *born < *config_.birthday_time)) config_.birthday_time = born;
    config_.network = config.network;
    first = false;
  }
  if (from <= scan_.scanned_to.height) scan_.backfill = wallet::HeightRange{from, scan_.scanned_to.height};
}

}  // namespace spv::sync
