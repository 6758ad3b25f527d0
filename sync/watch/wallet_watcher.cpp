#include "sync/watch/wallet_watcher.h"

#include <algorithm>

namespace spv::sync {

std::vector<util::Bytes> WalletWatcher::filter_elements() const {
  std::vector<util::Bytes> elements = wallet_.watched_elements();
  for (const auto& outpoint : wallet_.watched_outpoints()) elements.push_back(util::to_bytes(outpoint.bytes()));
  return elements;
}

const chain::Transaction* WalletWatcher::find(const chain::Txid& txid) const {
  const auto* record = wallet_.find(txid);
  return record == nullptr ? nullptr : &record->tx;
}

std::vector<Conflict> WalletWatcher::conflicts() const { return wallet_.conflicts(); }

// A proof brings a transaction without its witness, and a reorganisation may leave us with that: no node would take it.
std::vector<OwnTransaction> WalletWatcher::own_pending() const {
  const auto lacks_witness = [](const chain::TxInput& input) {
    return input.script_sig.empty() && input.witness.empty();
  };
  std::vector<OwnTransaction> own;
  for (const auto& entry : wallet_.history()) {
    if (entry.status != wallet::TxStatus::Unconfirmed || entry.set_apart != wallet::SetApart::No) continue;
    const wallet::TxRecord& record = *wallet_.find(entry.txid);
    if (!entry.fee || std::ranges::any_of(record.tx.inputs, lacks_witness)) continue;
    own.push_back({record.txid, record.tx, record.seen_at});
  }
  std::ranges::reverse(own);  // history is newest first
  return own;
}

wallet::Changes WalletWatcher::on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                                            util::ByteView proof, util::UnixTime now) {
  return wallet_.apply_confirmed(tx, confirmation, proof, now);
}

wallet::Changes WalletWatcher::on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) {
  return wallet_.apply_unconfirmed(tx, now);
}

wallet::Changes WalletWatcher::on_disconnected_above(const chain::BlockRef& fork) {
  return wallet_.disconnect_above(fork);
}

wallet::Changes WalletWatcher::set_scan(wallet::ScanState scan) { return wallet_.set_scan(std::move(scan)); }

wallet::Changes WalletWatcher::set_birthday(chain::Height height) { return wallet_.set_birthday(height); }

}  // namespace spv::sync
