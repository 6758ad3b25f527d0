// SeedPsbt: what a wallet knows while its seed is unlocked: also which keys of a PSBT are of that seed. A build without
// secrets refers to nothing here.
#pragma once

#include "wallet/extended_key.h"
#include "wallet/spend/wallet_psbt.h"

namespace spv::wallet::spend {

class SeedPsbt final : public WalletPsbt {
 public:
  /// Both must outlive this.
  SeedPsbt(const Wallet& wallet, const ExtendedPrivateKey& master)
      : WalletPsbt(wallet, master.fingerprint()), master_(master) {}

  [[nodiscard]] bool derives(const SpendKey& key) const override;

 private:
  const ExtendedPrivateKey& master_;
};

}  // namespace spv::wallet::spend
