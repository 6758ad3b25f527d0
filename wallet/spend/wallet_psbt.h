// WalletPsbt: what a wallet knows, for the checks of PSBTs. Without keys: see seed_psbt.h for what a seed derives.
#pragma once

#include <optional>

#include "wallet/extended_key.h"
#include "wallet/spend/psbt_roles.h"
#include "wallet/wallet.h"

namespace spv::wallet::spend {

class WalletPsbt : public PsbtWallet {
 public:
  /// `fingerprint`: of the master key, where the wallet has one. The wallet must outlive this.
  WalletPsbt(const Wallet& wallet, std::optional<Fingerprint> fingerprint)
      : wallet_(wallet), fingerprint_(fingerprint) {}

  [[nodiscard]] std::optional<KnownCoin> coin(const chain::OutPoint& outpoint) const override;
  [[nodiscard]] std::optional<KnownScript> script(util::ByteView script_pubkey) const override;
  [[nodiscard]] bool derives(const SpendKey& /*key*/) const override { return false; }
  [[nodiscard]] bool is_ours(const Fingerprint& fingerprint) const override { return fingerprint_ == fingerprint; }

 private:
  const Wallet& wallet_;
  std::optional<Fingerprint> fingerprint_;
};

}  // namespace spv::wallet::spend
