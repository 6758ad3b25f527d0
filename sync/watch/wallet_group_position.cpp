// Where the wallets of a WalletGroup stand.
#include <algorithm>
#include <set>
#include <utility>

#include "sync/watch/alignment.h"
#include "sync/watch/wallet_group.h"

namespace spv::sync {
namespace {

/// Wallets born within this time of each other begin at the same block.
constexpr util::UnixTime kSameDay = 86'400;

/// All up to `to` is scanned, but for the blocks from `from` on.
wallet::ScanState moved(wallet::ScanState scan, const chain::BlockRef& to, chain::Height from) {
  if (scan.scanned_to != to) scan.peers = scan.time = 0;
  scan.scanned_to = to;
  scan.backfill.reset();
  if (from <= to.height) scan.backfill = wallet::HeightRange{from, to.height};
  return scan;
}

/// What the blocks from `first` on attest.
wallet::Attestation attested_since(const BlocksScanned& blocks, chain::Height first) {
  wallet::Attestation out;
  for (const chain::Height height : blocks.by_two) {
    if (height >= first) out.add_by_two(height);
  }
  for (const chain::Height height : blocks.whole) {
    if (height >= first) out.add_whole(height);
  }
  return out;
}

/// True if it is known that so many peers have the last block, or there is none.
bool is_witnessed(const wallet::ScanState& scan, std::uint32_t peers) {
  if (scan.scanned_to.hash.is_zero()) return true;
  return scan.peers >= peers && !scan.anchors.empty() && scan.anchors.back() == scan.scanned_to;
}

chain::Height lowest_attested(const BlocksScanned& blocks) {
  chain::Height lowest = blocks.next;
  for (const auto* heights : {&blocks.by_two, &blocks.whole}) {
    for (const chain::Height height : *heights) lowest = std::min(lowest, height);
  }
  return lowest;
}

/// Transactions in blocks above `height` that are gone. A coinbase is none: it is not unconfirmed but conflicted then.
template <typename IsGone>
void note_undone(const wallet::Wallet& wallet, chain::Height height, IsGone is_gone, std::set<chain::Txid>& out) {
  for (const auto& record : wallet.transactions()) {
    const auto& at = record.confirmation;
    if (at && at->block.height > height && !record.tx.is_coinbase() && is_gone(at->block)) out.insert(record.txid);
  }
}

}  // namespace

template <typename Next>
void WalletGroup::move_members(Next next) {
  for (auto& [id, member] : members_) {
    if (member.joined) take(id, member, member.wallet->set_scan(next(std::as_const(member)), anchors_));
  }
}

Standing WalletGroup::standing() const {
  Standing all;
  bool first = true;
  chain::Height from = 0;
  for (const auto& [id, member] : members_) {
    const auto& config = member.wallet->config();
    const auto& scanned_to = member.wallet->scan().scanned_to;
    const auto own = position_of(*member.wallet);
    from = first ? own : std::min(from, own);
    all.birthday = first ? config.birthday : std::min(all.birthday, config.birthday);
    if (first || scanned_to.height >= all.scanned_to.height) all.scanned_to = scanned_to;
    const auto& born = config.birthday_time;
    if (born && (!all.birthday_time || *born < *all.birthday_time)) all.birthday_time = born;
    first = false;
  }
  if (from <= all.scanned_to.height) all.owed = wallet::HeightRange{from, all.scanned_to.height};
  return all;
}

void WalletGroup::on_scanned(const BlocksScanned& blocks) {
  const chain::Height lowest = lowest_attested(blocks);
  const wallet::Attestation gained = attested_since(blocks, lowest);  // for most wallets of many
  move_members([&](const Member& member) {
    const wallet::Wallet& wallet = *member.wallet;
    wallet::ScanState scan = moved(wallet.scan(), blocks.to, std::max(position_of(wallet), blocks.next));
    scan.time = blocks.time;
    const chain::Height first = member.first();
    scan.attested.add(lowest >= first ? gained : attested_since(blocks, first));
    return scan;
  });
}

void WalletGroup::on_witnessed(std::uint32_t peers) {
  for (auto& [id, member] : members_) {
    const wallet::ScanState& before = member.wallet->scan();
    if (!member.joined || is_witnessed(before, peers)) continue;
    wallet::ScanState scan = before;
    scan.peers = std::max(scan.peers, peers);
    take(id, member, member.wallet->set_scan(std::move(scan), anchors_));
  }
}

wallet::ScanState WalletGroup::owing(const Member& member, const wallet::HeightRange& blocks) {
  const wallet::ScanState& before = member.wallet->scan();
  // Not what was scanned for others before it was born.
  const chain::Height first = std::max(blocks.from, member.first());
  wallet::ScanState scan = moved(before, before.scanned_to, std::min(position_of(*member.wallet), first));
  scan.attested.forget(first, blocks.to);
  return scan;
}

void WalletGroup::on_owed(const wallet::HeightRange& blocks) {
  move_members([&](const Member& member) { return owing(member, blocks); });
}

void WalletGroup::leave(MemberId id, wallet::Changes changes) {
  Member& member = members_.at(id);
  wallet::Wallet& wallet = *member.wallet;
  const wallet::HeightRange all{wallet.config().birthday, wallet.scan().scanned_to.height};
  changes.merge(wallet.set_scan(owing(member, all)));
  member.pending.merge(std::move(changes));
  left_[id] = std::move(member.pending);
  remove(id);
}

WatchEffect WalletGroup::on_disconnected_above(const chain::BlockRef& fork) {
  std::set<chain::Txid> undone;
  for (auto& [id, member] : members_) {
    if (!member.joined) continue;
    note_undone(
        *member.wallet, fork.height, [](const chain::BlockRef&) { return true; }, undone);
    take(id, member, member.wallet->disconnect_above(fork));
    member.lowest = std::min(member.lowest, position_of(*member.wallet));
  }
  return undone_effect(undone);
}

WatchEffect WalletGroup::undone_effect(const std::set<chain::Txid>& undone) const {
  WatchEffect effect;
  effect.changed = !undone.empty();
  for (const auto& txid : undone) {
    effect.seen.push_back({.txid = txid, .net = 0, .height = std::nullopt, .unconfirmed_again = true});
  }
  return settled(std::move(effect));
}

void WalletGroup::route(MemberId id, Member& member) {
  if (is_sole() || std::exchange(member.routed, true)) return;
  ++routed_;
  route_all(id, *member.wallet);
}

void WalletGroup::make_room_to_route() {
  if (is_sole()) return;
  std::size_t scripts = 0;
  for (const auto& [id, member] : members_) scripts += member.routed ? 0 : member.wallet->script_count();
  router_.reserve(scripts);
}

void WalletGroup::route_all(MemberId id, const wallet::Wallet& wallet) {
  wallet.each_script([&](util::ByteView script) { router_.add_script(script, id); });
  for (const auto& record : wallet.transactions()) route_transaction(id, wallet, record);
}

void WalletGroup::on_scripts_added(MemberId id) {
  const Member& member = members_.at(id);
  if (member.routed) route_all(id, *member.wallet);
}

// All that it watches and holds now was there when it was routed, or was added since: nothing is ever taken away.
void WalletGroup::unroute(MemberId id, const wallet::Wallet& wallet) {
  --routed_;
  wallet.each_script([&](util::ByteView script) { router_.remove_script(script, id); });
  for (const auto& record : wallet.transactions()) {
    router_.remove_transaction(record.tx, record.txid, id,
                               [&](util::ByteView script) { return wallet.watches(script); });
  }
}

void WalletGroup::route_transaction(MemberId id, const wallet::Wallet& wallet, const wallet::TxRecord& record) {
  router_.add_transaction(record.tx, record.txid, id, [&](util::ByteView script) { return wallet.watches(script); });
}

WatchEffect WalletGroup::on_chain_known(const chain::HeaderChain& chain) {
  // A block that is to be scanned again is still there.
  const auto is_gone = [&](const chain::BlockRef& block) { return chain.hash_at(block.height) != block.hash; };
  std::set<chain::Txid> undone;
  chain::BlockRef last;
  make_room_to_route();
  for (auto& [id, member] : members_) {
    wallet::Wallet& wallet = *member.wallet;
    auto standing = standing_of(wallet.scan(), wallet.config().birthday, chain);
    // A birthday beyond the best chain is most likely wrong: the tip itself is scanned at least.
    const bool beyond = standing.hash.is_zero() && wallet.config().birthday > chain.height() + 1;
    if (beyond) standing.height = chain.height() - 1;
    note_undone(wallet, standing.height, is_gone, undone);
    take(id, member, wallet.disconnect_above(standing));
    route(id, member);
    member.joined = true;
    member.lowest = std::min(member.lowest, position_of(wallet));
    last.height = std::max(last.height, std::min(standing.height, chain.height()));
  }
  last.hash = chain.hash_at(last.height).value_or(chain::BlockHash{});
  chain::Height first = last.height + 1;
  for (const auto& [id, member] : members_) first = std::min(first, position_of(*member.wallet));
  move_members([&](const Member& member) {
    const chain::Height own = position_of(*member.wallet);
    wallet::ScanState scan = moved(member.wallet->scan(), last, own);
    if (const auto header = chain.at(last.height)) scan.time = header->time;
    scan.attested.forget(first, own - 1);  // blocks that are asked for again count again
    return scan;
  });
  return undone_effect(undone);
}

void WalletGroup::on_birthday(chain::Height height) {
  const auto earliest = standing().birthday_time;
  if (!earliest) return;
  for (auto& [id, member] : members_) {
    const auto born = member.wallet->config().birthday_time;
    if (born && *born <= *earliest + kSameDay) take(id, member, member.wallet->set_birthday(height));
  }
}

}  // namespace spv::sync
