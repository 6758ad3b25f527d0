#include "wallet/own_payment.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spv::wallet {
namespace {

std::string coin_text(const chain::OutPoint& coin) {
  return "coin " + util::to_string(coin.txid) + ":" + std::to_string(coin.index);
}

/// Checks the inputs of one transaction, one by one.
class CoinCheck {
 public:
  CoinCheck(const Books& books, const chain::Txid& txid, const OwnPaymentTerms& terms)
      : books_(books),
        txid_(txid),
        terms_(terms),
        statuses_(books.ledger.statuses(books.scanned)),
        reserving_(books.ledger.reserving()) {
    const TxRecord* replaced = terms.replaces ? books.ledger.find(*terms.replaces) : nullptr;
    if (replaced == nullptr) return;
    for (const auto& input : replaced->tx.inputs) replaced_.insert(input.previous);
  }

  [[nodiscard]] std::optional<std::string> complaint(const chain::OutPoint& coin) const {
    const chain::TxOutput* output = books_.ledger.output(coin);
    if (output == nullptr || !books_.keys.find(output->script_pubkey)) {
      if (terms_.with_others) return spender_complaint(coin);
      return coin_text(coin) + " is not in this wallet; sync, then try again";
    }
    if (books_.frozen.contains(coin) && !replaced_.contains(coin)) {
      return coin_text(coin) + " is frozen; unfreeze it first";
    }
    const TxRecord& parent = *books_.ledger.find(coin.txid);
    if (status_of(parent) == TxStatus::Conflicted) {
      return coin_text(coin) + " does not exist: its transaction conflicts with another or was not sent";
    }
    if (is_immature(parent, books_.scanned)) return coin_text(coin) + " is mined and cannot be spent yet";
    return spender_complaint(coin);
  }

 private:
  [[nodiscard]] std::optional<std::string> spender_complaint(const chain::OutPoint& coin) const {
    for (const std::size_t place : books_.ledger.spenders(coin)) {
      const chain::Txid& by = books_.ledger.records()[place].txid;
      const bool counts = statuses_[place] != TxStatus::Conflicted;
      if (by == txid_ || (!counts && !reserving_[place])) continue;
      if (by == terms_.replaces && statuses_[place] != TxStatus::Confirmed) continue;
      if (!counts && falls_with_replaced(books_.ledger.records()[place])) continue;
      return coin_text(coin) + (counts ? " is already spent by " : " is reserved by ") + util::to_string(by);
    }
    return std::nullopt;
  }
  /// The one that is replaced had replaced it: what spends all coins of the one excludes the other, too.
  [[nodiscard]] bool falls_with_replaced(const TxRecord& record) const {
    return std::ranges::all_of(record.tx.inputs,
                               [this](const chain::TxInput& input) { return replaced_.contains(input.previous); });
  }
  [[nodiscard]] TxStatus status_of(const TxRecord& record) const {
    return statuses_[books_.ledger.place_of(record.txid)];
  }

  const Books& books_;
  const chain::Txid& txid_;
  const OwnPaymentTerms& terms_;
  const std::vector<TxStatus> statuses_;
  const std::vector<bool> reserving_;
  std::set<chain::OutPoint> replaced_;
};

std::set<chain::OutPoint> coins_spent_by(const chain::Transaction& tx) {
  std::set<chain::OutPoint> out;
  for (const auto& input : tx.inputs) out.insert(input.previous);
  return out;
}

std::optional<std::string> replacement_complaint(const Books& books, const chain::Transaction& tx,
                                                 const chain::Txid& replaced) {
  const TxRecord* record = books.ledger.find(replaced);
  if (record == nullptr) return "transaction " + util::to_string(replaced) + " is not in this wallet";
  if (record->confirmation) return "transaction " + util::to_string(replaced) + " is confirmed and cannot be replaced";
  const auto spent = coins_spent_by(tx);
  for (const auto& input : record->tx.inputs) {
    if (!spent.contains(input.previous)) {
      return "the replacement lacks " + coin_text(input.previous) + " of the original: both could be paid";
    }
  }
  return std::nullopt;
}

bool spends_ours(const Books& books, const chain::TxInput& input) {
  const chain::TxOutput* spent = books.ledger.output(input.previous);
  return spent != nullptr && books.keys.find(spent->script_pubkey).has_value();
}

bool pays_from_us(const Books& books, const chain::Transaction& tx) {
  return std::ranges::any_of(tx.inputs, [&](const auto& input) { return spends_ours(books, input); });
}

std::optional<std::string> complaint_about(const Books& books, const chain::Transaction& tx,
                                           const OwnPaymentTerms& terms) {
  if (!chain::check_structure(tx) || tx.is_coinbase()) return "this is not a transaction that a node would take";
  const chain::Txid txid = tx.txid();
  const TxRecord* held = books.ledger.find(txid);
  if (held != nullptr && held->confirmation) return "transaction " + util::to_string(txid) + " is already confirmed";
  if (!pays_from_us(books, tx)) return "the transaction spends no coin of this wallet";
  if (terms.replaces == txid) return "a transaction cannot replace itself";
  if (terms.replaces) {
    if (auto wrong = replacement_complaint(books, tx, *terms.replaces)) return wrong;
  }
  const CoinCheck check(books, txid, terms);
  for (const auto& input : tx.inputs) {
    if (auto wrong = check.complaint(input.previous)) return wrong;
  }
  return std::nullopt;
}

/// Why one that this wallet made cannot be given up; nothing if it can.
std::optional<std::string> keeping_reason(const TxRecord& record, bool is_reserving) {
  const std::string name = "transaction " + util::to_string(record.txid);
  if (record.confirmation) return name + " is confirmed and cannot be abandoned";
  if (!record.sending) return name + " was not made by this wallet and cannot be abandoned";
  if (record.sending->state == SendState::Abandoned) return name + " is already abandoned";
  // Ruled out by a block, it can only come back by a reorganisation.
  if (!is_reserving || !is_taken(record.sending->state)) return std::nullopt;
  return name + (record.sending->state == SendState::Accepted ? " was accepted by" : " was fetched by") +
         " a peer and can still confirm, so it cannot be abandoned; cancel it or raise its fee instead";
}

}  // namespace

std::optional<PaymentError> refusal_of(const Books& books, const chain::Transaction& tx, const OwnPaymentTerms& terms) {
  auto wrong = complaint_about(books, tx, terms);
  if (!wrong) return std::nullopt;
  return PaymentError{std::move(*wrong)};
}

bool is_paid_by_us(const Books& books, const chain::Transaction& tx) {
  return std::ranges::all_of(tx.inputs, [&](const auto& input) { return spends_ours(books, input); });
}

std::optional<chain::Txid> replaced_payment(const Books& books, const chain::Transaction& tx) {
  if (tx.inputs.empty()) return std::nullopt;
  const auto spent = coins_spent_by(tx);
  const auto reserving = books.ledger.reserving();
  const auto statuses = books.ledger.statuses(books.scanned);
  const chain::Txid txid = tx.txid();
  std::optional<chain::Txid> found;
  for (const auto& input : tx.inputs) {
    for (const std::size_t place : books.ledger.spenders(input.previous)) {
      const TxRecord& rival = books.ledger.records()[place];
      if (rival.txid == txid || rival.confirmation || !reserving[place]) continue;
      const auto taken = [&](const chain::TxInput& each) { return spent.contains(each.previous); };
      if (!std::ranges::all_of(rival.tx.inputs, taken)) continue;
      if (statuses[place] != TxStatus::Conflicted) return rival.txid;
      found = rival.txid;
    }
  }
  return found;
}

util::Expected<std::vector<chain::Txid>, PaymentError> abandoned_with(const Books& books, const chain::Txid& txid) {
  const TxRecord* first = books.ledger.find(txid);
  if (first == nullptr) {
    return util::Unexpected{PaymentError{"transaction " + util::to_string(txid) + " is not in this wallet"}};
  }
  const auto reserving = books.ledger.reserving();
  std::vector<chain::Txid> out;
  std::set<std::size_t> known{books.ledger.place_of(txid)};
  std::vector<std::size_t> todo(known.begin(), known.end());
  while (!todo.empty()) {
    const std::size_t place = todo.back();
    todo.pop_back();
    const TxRecord& record = books.ledger.records()[place];
    const bool is_child = &record != first;
    const bool given_up = record.sending && record.sending->state == SendState::Abandoned;
    if (!is_child || (record.sending && !given_up)) {
      if (auto why = keeping_reason(record, reserving[place])) return util::Unexpected{PaymentError{std::move(*why)}};
      out.push_back(record.txid);
    }
    for (const std::size_t child : books.ledger.children(record.txid)) {
      if (known.insert(child).second) todo.push_back(child);
    }
  }
  return out;
}

}  // namespace spv::wallet
