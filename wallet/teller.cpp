#include "wallet/teller.h"

#include <algorithm>
#include <utility>

#include "wallet/history.h"

namespace spv::wallet {
namespace {

/// Nothing for what the user keeps back: nobody else has it.
std::optional<TxStanding> standing_of(const HistoryEntry& entry) {
  if (entry.set_apart == SetApart::NotSent) return std::nullopt;
  if (entry.status == TxStatus::Confirmed) return TxStanding::Confirmed;
  if (entry.status == TxStatus::Unconfirmed) return TxStanding::Unconfirmed;
  if (entry.set_apart == SetApart::Forgotten) return TxStanding::Forgotten;
  if (entry.set_apart == SetApart::Locked) return TxStanding::Locked;
  if (entry.set_apart == SetApart::Abandoned) return TxStanding::Abandoned;
  return TxStanding::Conflicted;
}

std::vector<OwnOutput> own_outputs(const Books& books, const chain::Transaction& tx) {
  std::vector<OwnOutput> out;
  for (std::uint32_t n = 0; n < tx.outputs.size(); ++n) {
    const auto key = books.keys.find(tx.outputs[n].script_pubkey);
    if (key) out.push_back({n, tx.outputs[n].value, tx.outputs[n].script_pubkey, key->chain, key->index});
  }
  return out;
}

TxEvent event_of(const Books& books, const HistoryEntry& entry, TxStanding state) {
  TxEvent event{.txid = entry.txid,
                .state = state,
                .net = entry.net,
                .confirmation = state == TxStanding::Confirmed ? entry.confirmation : std::nullopt,
                .replaced_by = state == TxStanding::Conflicted ? entry.replaced_by : std::nullopt,
                .outputs = own_outputs(books, books.ledger.find(entry.txid)->tx)};
  return event;
}

}  // namespace

std::string_view to_string(TxStanding standing) {
  switch (standing) {
    case TxStanding::Unconfirmed:
      return "unconfirmed";
    case TxStanding::Confirmed:
      return "confirmed";
    case TxStanding::Conflicted:
      return "conflicted";
    case TxStanding::Forgotten:
      return "forgotten";
    case TxStanding::Locked:
      return "locked";
    case TxStanding::Abandoned:
      break;
  }
  return "abandoned";
}

Told told_by(const TxEvent& event) {
  Told told{.txid = event.txid, .state = event.state, .net = event.net, .block = std::nullopt};
  if (event.confirmation) told.block = event.confirmation->block.hash;
  return told;
}

Teller::Teller(const std::vector<Told>& told) {
  told_.reserve(told.size());
  for (const Told& each : told) told_.insert_or_assign(each.txid, each);
}

bool Teller::note(const TxEvent& event) {
  const Told now = told_by(event);
  const auto [place, is_new] = told_.try_emplace(event.txid, now);
  if (!is_new && place->second == now) return false;
  place->second = now;
  return true;
}

std::vector<TxEvent> Teller::take(const Books& books) {
  changed_ = false;
  unsettled_ = false;
  looked_at_ = books.scanned;
  std::vector<TxEvent> events;
  const auto history = history_of(books);
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    const auto state = standing_of(*entry);
    if (state != TxStanding::Confirmed) unsettled_ = true;
    if (!state) continue;
    TxEvent event = event_of(books, *entry, *state);
    if (note(event)) events.push_back(std::move(event));
  }
  return events;
}

std::vector<TxEvent> Teller::take_undone(const Books& books, const std::vector<TxRecord>& undone) {
  std::set<chain::Txid> wanted;
  for (const TxRecord& record : undone) {
    const auto told = told_.find(record.txid);
    if (told != told_.end() && told->second.state == TxStanding::Confirmed) wanted.insert(record.txid);
  }
  std::vector<TxEvent> events;
  if (wanted.empty()) return events;
  const auto history = history_of(books);
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    if (!wanted.contains(entry->txid)) continue;
    // Where it stands on the new chain is not known yet, but for a coinbase, which dies with its block.
    const bool is_coinbase = books.ledger.find(entry->txid)->tx.is_coinbase();
    TxEvent event = event_of(books, *entry, is_coinbase ? TxStanding::Conflicted : TxStanding::Unconfirmed);
    if (note(event)) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace spv::wallet
