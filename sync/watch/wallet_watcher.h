// WalletWatcher: one wallet behind the engine's door.
#pragma once

#include "sync/watch/watcher.h"
#include "wallet/wallet.h"

namespace spv::sync {

class WalletWatcher final : public Watcher {
 public:
  /// `wallet` outlives the watcher.
  explicit WalletWatcher(wallet::Wallet& wallet) : wallet_(wallet) {}

  [[nodiscard]] std::vector<util::Bytes> filter_elements() const override;
  [[nodiscard]] std::vector<util::Bytes> watched_scripts() const override { return wallet_.watched_scripts(); }
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const override { return wallet_.watched_outpoints(); }
  [[nodiscard]] wallet::FilterIdentity filter_identity() const override { return wallet_.config().filter; }
  [[nodiscard]] const wallet::ScanState& scan() const override { return wallet_.scan(); }
  [[nodiscard]] const wallet::WalletConfig& config() const override { return wallet_.config(); }
  [[nodiscard]] bool is_relevant(const chain::Transaction& tx) const override { return wallet_.is_relevant(tx); }
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& txid) const override;
  [[nodiscard]] chain::Amount net_of(const chain::Transaction& tx) const override { return wallet_.net_of(tx); }
  [[nodiscard]] std::vector<Conflict> conflicts() const override;
  [[nodiscard]] std::vector<OwnTransaction> own_pending() const override;

  wallet::Changes on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                               util::ByteView proof, util::UnixTime now) override;
  wallet::Changes on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) override;
  void note_tip(chain::Height height) override { wallet_.note_tip(height); }
  wallet::Changes on_disconnected_above(const chain::BlockRef& fork) override;
  wallet::Changes set_scan(wallet::ScanState scan) override;
  wallet::Changes set_birthday(chain::Height height) override;

 private:
  wallet::Wallet& wallet_;
};

}  // namespace spv::sync
