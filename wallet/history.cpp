#include "wallet/history.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "wallet/amount_sum.h"

namespace spv::wallet {
namespace {

/// What a transaction means to the wallet.
struct Flow {
  bool is_own = false;
  chain::Amount net = 0;
  /// Only where every input is ours: of others' inputs we know some by chance, and another copy of the wallet does not.
  std::optional<chain::Amount> fee;
};

Flow flow_of(const Books& books, const chain::Transaction& tx) {
  AmountSum net;
  AmountSum fee;
  Flow flow;
  bool paid_by_us = !tx.is_coinbase();
  for (const auto& output : tx.outputs) {
    fee.subtract(output.value);
    if (!books.keys.find(output.script_pubkey)) continue;
    flow.is_own = true;
    net.add(output.value);
  }
  for (const auto& input : tx.inputs) {
    const chain::TxOutput* spent = books.ledger.output(input.previous);
    if (spent == nullptr || !books.keys.find(spent->script_pubkey)) {
      paid_by_us = false;
      continue;
    }
    flow.is_own = true;
    fee.add(spent->value);
    net.subtract(spent->value);
  }
  flow.net = net.clamped();
  // Only a forged transaction pays out more than it spends.
  if (paid_by_us && fee.clamped() >= 0) flow.fee = fee.clamped();
  return flow;
}

// Waits for the user, who has not sent it yet.
bool is_kept_back(const TxRecord& record, const Verdict& verdict) {
  return verdict.reason == SetApart::NotSent && record.sending && record.sending->state == SendState::NotSent;
}

HistoryEntry entry_at(const Books& books, const TxRecord& record, const Flow& flow, const Verdict& verdict) {
  HistoryEntry entry{.txid = record.txid,
                     .confirmation = record.confirmation,
                     .first_seen = record.first_seen,
                     .net = flow.net,
                     .fee = flow.fee,
                     .confirmations = confirmations_of(record.confirmation, books.scanned),
                     .status = is_kept_back(record, verdict) ? TxStatus::Unconfirmed : verdict.status,
                     .set_apart = verdict.reason};
  entry.sending = record.sending;
  if (verdict.rival) entry.replaced_by = books.ledger.records()[*verdict.rival].txid;
  return entry;
}

/// Places of records, each list oldest first.
struct Piles {
  std::vector<std::size_t> confirmed;
  std::vector<std::size_t> waiting;
  std::vector<std::size_t> dead;
};

Piles sorted_piles(const std::deque<TxRecord>& records, const std::vector<Verdict>& verdicts) {
  Piles piles;
  for (std::size_t place = 0; place < records.size(); ++place) {
    const bool kept_back = is_kept_back(records[place], verdicts[place]);
    const TxStatus status = kept_back ? TxStatus::Unconfirmed : verdicts[place].status;
    auto& pile = status == TxStatus::Confirmed     ? piles.confirmed
                 : status == TxStatus::Unconfirmed ? piles.waiting
                                                   : piles.dead;
    pile.push_back(place);
  }
  const auto in_block = [&](std::size_t place) {
    const Confirmation& at = *records[place].confirmation;
    return std::tie(at.block.height, at.index, records[place].txid);
  };
  const auto sighting = [&](std::size_t place) {
    return std::tie(records[place].first_seen, records[place].sequence, records[place].txid);
  };
  const auto sort_by = [](std::vector<std::size_t>& places, const auto& key) {
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  };
  sort_by(piles.confirmed, in_block);
  sort_by(piles.waiting, sighting);
  sort_by(piles.dead, sighting);
  return piles;
}

// A block's time may lie before that of the block below it, so a dead one is compared with the latest time up to each
// block, which never falls: the order is total, and blocks stay in the order of their heights.
std::vector<std::size_t> oldest_first(const std::deque<TxRecord>& records, const Piles& piles) {
  std::vector<std::size_t> order;
  order.reserve(records.size());
  auto dead = piles.dead.begin();
  util::UnixTime latest = 0;
  for (const std::size_t place : piles.confirmed) {
    latest = std::max<util::UnixTime>(latest, records[place].confirmation->block_time);
    for (; dead != piles.dead.end() && records[*dead].first_seen < latest; ++dead) order.push_back(*dead);
    order.push_back(place);
  }
  order.insert(order.end(), dead, piles.dead.end());
  order.insert(order.end(), piles.waiting.begin(), piles.waiting.end());
  return order;
}

}  // namespace

std::vector<HistoryEntry> history_of(const Books& books) {
  const auto& records = books.ledger.records();
  const auto verdicts = books.ledger.verdicts(books.scanned);
  auto order = oldest_first(records, sorted_piles(records, verdicts));
  std::ranges::reverse(order);
  std::vector<HistoryEntry> history;
  history.reserve(order.size());
  for (const std::size_t place : order) {
    const Flow flow = flow_of(books, records[place].tx);
    if (flow.is_own) history.push_back(entry_at(books, records[place], flow, verdicts[place]));
  }
  return history;
}

std::optional<HistoryEntry> entry_of(const Books& books, const chain::Txid& txid) {
  const auto& records = books.ledger.records();
  const auto found = std::ranges::find(records, txid, &TxRecord::txid);
  if (found == records.end()) return std::nullopt;
  const auto verdicts = books.ledger.verdicts(books.scanned);
  const auto place = static_cast<std::size_t>(found - records.begin());
  return entry_at(books, *found, flow_of(books, found->tx), verdicts[place]);
}

bool is_own(const Books& books, const chain::Transaction& tx) { return flow_of(books, tx).is_own; }

std::vector<Conflict> conflicts_of(const Books& books) {
  if (books.ledger.all_confirmed()) return {};
  const auto& records = books.ledger.records();
  const auto verdicts = books.ledger.verdicts(books.scanned);
  std::vector<Conflict> out;
  for (std::size_t place = 0; place < records.size(); ++place) {
    const Verdict& verdict = verdicts[place];
    if (verdict.status != TxStatus::Conflicted || verdict.reason == SetApart::NotSent) continue;
    if (!is_own(books, records[place].tx)) continue;
    Conflict& conflict = out.emplace_back(Conflict{records[place].txid, std::nullopt});
    if (verdict.rival) conflict.replaced_by = records[*verdict.rival].txid;
  }
  return out;
}

}  // namespace spv::wallet
