#include "wallet/ledger.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace spv::wallet {
namespace {

// Of two sightings of one number, which a damaged store could hold, the txid decides: any order, but always the same.
bool seen_later(const TxRecord& a, const TxRecord& b) {
  return std::tie(a.sequence, a.txid) > std::tie(b.sequence, b.txid);
}

/// Of lock times: below it heights, above it seconds (consensus).
constexpr std::uint32_t kLockTimeThreshold = 500'000'000;
// Relative lock times (BIP68).
constexpr std::uint32_t kFinalSequence = 0xFFFF'FFFF;
constexpr std::uint32_t kNoRelativeLock = 1U << 31U;
constexpr std::uint32_t kRelativeTime = 1U << 22U;
constexpr std::uint32_t kRelativeMask = 0xFFFF;
/// A new sighting is written down only if it is so many blocks newer: about a day.
constexpr chain::Height kSightingStep = 144;

bool has_lock_time(const chain::Transaction& tx) {
  return tx.lock_time != 0 &&
         std::ranges::any_of(tx.inputs, [](const chain::TxInput& input) { return input.sequence != kFinalSequence; });
}

// No node relays one before its time, so the time of the sighting tells.
bool is_locked_by_time(const chain::Transaction& tx, util::UnixTime seen) {
  return has_lock_time(tx) && tx.lock_time >= kLockTimeThreshold && std::int64_t{tx.lock_time} > seen;
}

// Whoever tells of what we made has it, whatever became of our own announcement.
bool note_sighting(TxRecord& held, const TxRecord& seen) {
  if (!held.sending || held.sending->state == SendState::Accepted) return false;
  held.sending->state = SendState::Accepted;
  if (!seen.confirmation) held.sending->peers_accepted = std::max(held.sending->peers_accepted, 1U);
  return true;
}

}  // namespace

bool absorb(TxRecord& held, TxRecord seen) {
  bool changed = note_sighting(held, seen);
  if (!held.tx.has_witness() && seen.tx.has_witness()) {
    held.tx = std::move(seen.tx);
    changed = true;
  }
  if (seen.confirmation && seen.confirmation != held.confirmation) {
    held.confirmation = seen.confirmation;
    held.proof = std::move(seen.proof);
    held.sequence = 0;
    held.seen_at = 0;
    changed = true;
  } else if (seen.confirmation && held.proof.empty() && !seen.proof.empty()) {
    held.proof = std::move(seen.proof);
    changed = true;
  } else if (!held.confirmation && seen.sequence > held.sequence) {
    held.sequence = seen.sequence;
    changed = true;
  }
  if (!held.confirmation && !seen.confirmation && seen.seen_at >= held.seen_at + kSightingStep) {
    held.seen_at = seen.seen_at;
    changed = true;
  }
  if (is_locked_by_time(held.tx, held.first_seen) && seen.first_seen > held.first_seen) {
    held.first_seen = seen.first_seen;
    changed = true;
  }
  return changed;
}

Ledger::Ledger(std::vector<TxRecord> records) {
  for (TxRecord& record : records) {
    if (by_txid_.contains(record.txid)) continue;
    next_sequence_ = std::max(next_sequence_, record.sequence + 1);
    records_.push_back(std::move(record));
    index(records_.size() - 1);
  }
}

const TxRecord* Ledger::find(const chain::Txid& txid) const {
  const auto found = by_txid_.find(txid);
  return found == by_txid_.end() ? nullptr : &records_[found->second];
}

const chain::TxOutput* Ledger::output(const chain::OutPoint& outpoint) const {
  const TxRecord* record = find(outpoint.txid);
  if (record == nullptr || outpoint.index >= record->tx.outputs.size()) return nullptr;
  return &record->tx.outputs[outpoint.index];
}

SpenderPlaces Ledger::children(const chain::Txid& txid) const {
  return SpenderPlaces({spenders_.lower_bound({.txid = txid, .index = 0}),
                        spenders_.upper_bound({.txid = txid, .index = std::numeric_limits<std::uint32_t>::max()})});
}

const TxRecord* Ledger::record(TxRecord seen) {
  const auto [found, is_new] = by_txid_.try_emplace(seen.txid, records_.size());
  if (is_new) {
    records_.push_back(std::move(seen));
    index(records_.size() - 1);
    return &records_.back();
  }
  TxRecord& held = records_[found->second];
  // Only where another one claims the same input does it matter which was seen last; else a sighting is no news.
  if (!seen.confirmation && !is_contested(found->second)) seen.sequence = held.sequence;
  const bool waited = !held.confirmation;
  const bool changed = absorb(held, std::move(seen));
  if (waited && held.confirmation) --unconfirmed_;
  return changed ? &held : nullptr;
}

std::vector<TxRecord> Ledger::disconnect_above(chain::Height height) {
  std::vector<TxRecord*> gone;
  for (TxRecord& record : records_) {
    if (record.confirmation && record.confirmation->block.height > height) gone.push_back(&record);
  }
  std::sort(gone.begin(), gone.end(), [](const TxRecord* a, const TxRecord* b) {
    return std::tie(a->confirmation->block.height, a->confirmation->index, a->txid) <
           std::tie(b->confirmation->block.height, b->confirmation->index, b->txid);
  });
  std::vector<TxRecord> changed;
  for (TxRecord* record : gone) {
    record->seen_at = record->confirmation->block.height;
    record->confirmation.reset();
    ++unconfirmed_;
    record->proof.clear();
    record->sequence = next_sequence();
    changed.push_back(*record);
  }
  return changed;
}

const TxRecord& Ledger::set_sending(const chain::Txid& txid, const Sending& sending) {
  TxRecord& record = records_[by_txid_.at(txid)];
  const bool was_out = record.sending && is_out(record.sending->state);
  record.sending = sending;
  if (!was_out && is_out(sending.state) && !record.confirmation) record.sequence = next_sequence();
  return record;
}

std::vector<TxStatus> Ledger::by_blocks() const {
  std::vector<TxStatus> status(records_.size(), TxStatus::Unconfirmed);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].confirmation) status[i] = TxStatus::Confirmed;
  }
  return status;
}

std::vector<bool> Ledger::reserving() const {
  std::vector<bool> out(records_.size(), false);
  if (std::ranges::none_of(records_, [](const TxRecord& record) { return record.sending.has_value(); })) return out;
  std::vector<TxStatus> status = by_blocks();
  spread_conflict(outspent(), status);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const auto& sending = records_[i].sending;
    out[i] = sending && sending->state != SendState::Abandoned && status[i] == TxStatus::Unconfirmed;
  }
  return out;
}

std::vector<TxStatus> Ledger::statuses(chain::Height scanned) const {
  std::vector<TxStatus> status = by_blocks();
  if (std::ranges::find(status, TxStatus::Unconfirmed) == status.end()) return status;
  spread_conflict(ruled_out(scanned), status);
  spread_conflict(replaced(status), status);
  return status;
}

std::vector<Verdict> Ledger::verdicts(chain::Height scanned) const {
  std::vector<Verdict> out;
  out.reserve(records_.size());
  bool any_conflicted = false;
  for (const TxStatus status : statuses(scanned)) {
    out.push_back({.status = status});
    any_conflicted = any_conflicted || status == TxStatus::Conflicted;
  }
  if (!any_conflicted) return out;
  note_rivals(out);
  note_reasons(scanned, out);
  return out;
}

void Ledger::index(std::size_t place) {
  by_txid_.try_emplace(records_[place].txid, place);
  if (!records_[place].confirmation) ++unconfirmed_;
  if (records_[place].tx.is_coinbase()) return;
  for (const chain::TxInput& input : records_[place].tx.inputs) spenders_.emplace(input.previous, place);
}

// Of a transaction and what we made to replace it, the replacement counts, however often a peer tells of the first:
// that peer has not taken the replacement yet, which pays more, and no peer that has goes back. So the display does not
// change with each announcement. The coins of both stay reserved, whichever counts.
bool Ledger::is_contested(std::size_t place) const {
  const TxRecord& record = records_[place];
  if (record.confirmation || record.tx.is_coinbase()) return false;
  bool contested = false;
  for (const chain::TxInput& input : record.tx.inputs) {
    for (const std::size_t rival : spenders(input.previous)) {
      if (!seen_later(records_[rival], record)) continue;
      const auto& sending = records_[rival].sending;
      if (rival > place && sending && is_out(sending->state)) return false;
      contested = true;
    }
  }
  return contested;
}

SetApart Ledger::set_apart(const TxRecord& record, chain::Height scanned) const {
  if (record.confirmation) return SetApart::No;
  if (record.tx.is_coinbase()) return SetApart::Conflict;
  if (record.sending && record.sending->state == SendState::Abandoned) return SetApart::Abandoned;
  if (record.sending && record.sending->state == SendState::NotSent) return SetApart::NotSent;
  if (!record.sending && std::int64_t{record.seen_at} + kForgetAfter < scanned) return SetApart::Forgotten;
  return is_locked(record, scanned) ? SetApart::Locked : SetApart::No;
}

// Whether the next block may not hold it. Where a parent is not ours or a relative lock is one of time, its node knew.
bool Ledger::is_locked(const TxRecord& record, chain::Height scanned) const {
  const chain::Transaction& tx = record.tx;
  if (is_locked_by_time(tx, record.first_seen)) return true;
  if (has_lock_time(tx) && tx.lock_time < kLockTimeThreshold && std::int64_t{tx.lock_time} > scanned) return true;
  if (tx.version < 2 && tx.version >= 0) return false;
  return std::ranges::any_of(tx.inputs, [&](const chain::TxInput& input) {
    const std::uint32_t blocks = input.sequence & kRelativeMask;
    if ((input.sequence & (kNoRelativeLock | kRelativeTime)) != 0 || blocks == 0) return false;
    const TxRecord* parent = find(input.previous.txid);
    if (parent == nullptr) return false;
    return !parent->confirmation ||
           std::int64_t{parent->confirmation->block.height} + blocks > std::int64_t{scanned} + 1;
  });
}

std::vector<std::size_t> Ledger::ruled_out(chain::Height scanned) const {
  std::vector<std::size_t> out = outspent();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (set_apart(records_[i], scanned) != SetApart::No) out.push_back(i);
  }
  return out;
}

// A confirmed transaction spends a coin of theirs.
std::vector<std::size_t> Ledger::outspent() const {
  std::vector<std::size_t> out;
  for (auto group = spenders_.begin(); group != spenders_.end();) {
    auto end = group;
    bool confirmed = false;
    for (; end != spenders_.end() && end->first == group->first; ++end) {
      confirmed = confirmed || records_[end->second].confirmation.has_value();
    }
    for (; group != end; ++group) {
      if (confirmed && !records_[group->second].confirmation) out.push_back(group->second);
    }
  }
  return out;
}

std::vector<std::size_t> Ledger::replaced(const std::vector<TxStatus>& status) const {
  std::vector<std::size_t> out;
  const chain::OutPoint* outpoint = nullptr;
  std::size_t latest = 0;
  for (const auto& [spent, place] : spenders_) {
    if (status[place] != TxStatus::Unconfirmed) continue;
    if (outpoint == nullptr || *outpoint != spent) {
      latest = place;
    } else if (seen_later(records_[place], records_[latest])) {
      out.push_back(std::exchange(latest, place));
    } else {
      out.push_back(place);
    }
    outpoint = &spent;
  }
  return out;
}

void Ledger::spread_conflict(std::vector<std::size_t> roots, std::vector<TxStatus>& status) const {
  while (!roots.empty()) {
    const std::size_t place = roots.back();
    roots.pop_back();
    if (status[place] != TxStatus::Unconfirmed) continue;
    status[place] = TxStatus::Conflicted;
    for (const std::size_t child : children(records_[place].txid)) roots.push_back(child);
  }
}

// Of several rivals a confirmed one. Outpoint by outpoint: looking at all spenders for each could be quadratic.
void Ledger::note_rivals(std::vector<Verdict>& verdicts) const {
  for (auto group = spenders_.begin(); group != spenders_.end();) {
    auto end = group;
    std::optional<std::size_t> winner;
    for (; end != spenders_.end() && end->first == group->first; ++end) {
      const TxStatus status = verdicts[end->second].status;
      const bool counts = status != TxStatus::Conflicted;
      if (counts && (!winner || status == TxStatus::Confirmed)) winner = end->second;
    }
    for (; group != end; ++group) {
      Verdict& verdict = verdicts[group->second];
      if (!winner || verdict.status != TxStatus::Conflicted) continue;
      const bool better = records_[*winner].confirmation && verdict.rival && !records_[*verdict.rival].confirmation;
      if (!verdict.rival || better) verdict.rival = winner;
    }
  }
}

void Ledger::note_reasons(chain::Height scanned, std::vector<Verdict>& verdicts) const {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    Verdict& verdict = verdicts[i];
    if (verdict.status != TxStatus::Conflicted) continue;
    // One that is not out yet, or given up, has lost only to what a block holds.
    const bool is_out_of_race = records_[i].sending && !is_out(records_[i].sending->state);
    if (is_out_of_race && verdict.rival && !records_[*verdict.rival].confirmation) verdict.rival.reset();
    if (verdict.rival || records_[i].tx.is_coinbase()) verdict.reason = SetApart::Conflict;
  }
  spread_reason(SetApart::Conflict, verdicts);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    Verdict& verdict = verdicts[i];
    if (verdict.status != TxStatus::Conflicted || verdict.reason != SetApart::No) continue;
    verdict.reason = set_apart(records_[i], scanned);
  }
  spread_reason(SetApart::Abandoned, verdicts);
  spread_reason(SetApart::NotSent, verdicts);
  spread_reason(SetApart::Forgotten, verdicts);
  spread_reason(SetApart::Locked, verdicts);
  // What is left has lost to one that has lost itself.
  for (Verdict& verdict : verdicts) {
    if (verdict.status == TxStatus::Conflicted && verdict.reason == SetApart::No) verdict.reason = SetApart::Conflict;
  }
}

// To all that descends from those who have it and has no reason yet.
void Ledger::spread_reason(SetApart reason, std::vector<Verdict>& verdicts) const {
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].reason == reason) todo.push_back(i);
  }
  while (!todo.empty()) {
    const std::size_t place = todo.back();
    todo.pop_back();
    for (const std::size_t child : children(records_[place].txid)) {
      Verdict& verdict = verdicts[child];
      if (verdict.status != TxStatus::Conflicted || verdict.reason != SetApart::No) continue;
      verdict.reason = reason;
      todo.push_back(child);
    }
  }
}

}  // namespace spv::wallet
