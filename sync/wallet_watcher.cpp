#include "sync/wallet_watcher.h"

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

}  // namespace spv::sync
