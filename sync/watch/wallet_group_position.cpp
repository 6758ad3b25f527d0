// Where the wallets of a WalletGroup stand, and on whose word.
#include <algorithm>
#include <utility>

#include "sync/watch/alignment.h"
#include "sync/watch/wallet_group.h"
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

using Period = wallet::Attestation::Period;
constexpr chain::Height kPeriod = wallet::Attestation::kPeriod;

chain::Height period_begin(chain::Height height) { return height / kPeriod * kPeriod; }

/// How much a period's counts grew between two states of the whole.
Period growth(const wallet::Attestation& before, const Period& after) {
  const auto& known = before.periods();
  const auto was = std::ranges::lower_bound(known, after.index, {}, &Period::index);
  const Period old = was != known.end() && was->index == after.index ? *was : Period{};
  const auto grown = [](int then, int now) { return static_cast<std::uint16_t>(std::max(now - then, 0)); };
  return {after.index, grown(old.by_two, after.by_two), grown(old.whole, after.whole)};
}

/// Adds as much as the period has room for, less what may be of blocks that do not count.
void raise(std::uint16_t& count, int gained, chain::Height& doubtful, const Period& sum) {
  const int dropped = std::min(gained, doubtful);
  doubtful -= dropped;
  const int room = kPeriod - sum.by_two - sum.whole;
  count = static_cast<std::uint16_t>(count + std::min(gained - dropped, std::max(room, 0)));
}

}  // namespace

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
  position_ = position_of(scan_, config_.birthday);
  return digest;
}

wallet::Changes WalletGroup::on_disconnected_above(const chain::BlockRef& fork) {
  wallet::Changes digest;
  for (auto& [id, member] : members_) {
    if (!member.joined) continue;
    doubt_from(member, fork.height + 1);
    take(id, member, member.wallet->disconnect_above(fork), digest);
  }
  scan_.attested.forget(fork.height + 1, scan_.scanned_to.height);
  sum_up();
  position_ = position_of(scan_, config_.birthday);
  return digest;
}

wallet::Changes WalletGroup::set_scan(wallet::ScanState scan) {
  wallet::Changes digest;
  // Not that of scan_: who came or went since is not in what the engine says.
  const chain::Height before = position_.value_or(position_of(scan_, config_.birthday));
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
    next.attested = grown(member, scan.attested);
    next.peers = scan.peers;
    next.time = scan.time;
    take(id, member, wallet.set_scan(std::move(next)), digest);
  }
  scan_.attested = std::move(scan.attested);
  sum_up();
  position_ = now;
  return digest;
}

// What the group has newly attested counts for a wallet too, from its birthday on. In the period of that only counts
// are known, so as many as may lie below it are left out.
wallet::Attestation WalletGroup::grown(Member& member, const wallet::Attestation& attested) const {
  const chain::Height birthday = member.wallet->config().birthday;
  std::map<std::uint32_t, Period> sums;
  for (const Period& period : member.wallet->scan().attested.periods()) sums[period.index] = period;
  for (const Period& period : attested.periods()) {
    const auto begin = static_cast<chain::Height>(period.index) * kPeriod;
    const Period gained = growth(scan_.attested, period);
    if (begin + kPeriod <= birthday || (gained.by_two == 0 && gained.whole == 0)) continue;
    chain::Height none = 0;
    chain::Height& doubtful = begin <= birthday ? member.doubtful : none;
    Period& sum = sums[period.index];
    sum.index = period.index;
    raise(sum.by_two, gained.by_two, doubtful, sum);
    raise(sum.whole, gained.whole, doubtful, sum);
  }
  std::vector<Period> periods;
  for (const auto& [index, sum] : sums) {
    if (sum.by_two != 0 || sum.whole != 0) periods.push_back(sum);
  }
  wallet::Attestation all;
  util::ensure(all.restore(std::move(periods)), "counts of a period stay within it");
  return all;
}

// Blocks from here on may count, or count again.
void WalletGroup::doubt_from(Member& member, chain::Height from) {
  const chain::Height birthday = member.wallet->config().birthday;
  const chain::Height begin = period_begin(std::max(birthday, 0));
  const chain::Height below = std::max(birthday - std::max(begin, from), 0);
  member.doubtful = std::min(member.doubtful + below, std::max(birthday - begin, 0));
}

// Blocks that are asked for again count again, for those too that had them already.
void WalletGroup::forget_attested(chain::Height from, chain::Height to, wallet::Changes& digest) {
  scan_.attested.forget(from, to);
  for (auto& [id, member] : members_) {
    doubt_from(member, from);
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
