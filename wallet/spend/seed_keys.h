// SeedKeys: signs with the keys below one extended private key, which a seed gives. A build without secrets refers to
// nothing here.
#pragma once

#include <map>

#include "wallet/extended_key.h"
#include "wallet/spend/signer.h"

namespace spv::wallet::spend {

/// A key is found by the fingerprint and the path of its origin, and used only if its public half is the one that is
/// named: a false path in a PSBT yields nothing. Each key is derived when it is asked for and wiped after its
/// signature; the parents of keys stay, since the keys of one chain share theirs, until this goes. One thread at a
/// time.
class SeedKeys final : public SigningKeys {
 public:
  explicit SeedKeys(const ExtendedPrivateKey& master) : master_(master), fingerprint_(master.fingerprint()) {}

  [[nodiscard]] std::optional<util::Bytes> ecdsa(const SpendKey& key, const util::Hash256& digest) const override;
  [[nodiscard]] std::optional<std::array<std::uint8_t, 64>> schnorr(const SpendKey& key,
                                                                    const util::Hash256& digest) const override;

 private:
  [[nodiscard]] std::optional<PrivateKey> find(const SpendKey& key) const;
  [[nodiscard]] const ExtendedPrivateKey* parent_of(const KeyPath& path) const;

  ExtendedPrivateKey master_;
  Fingerprint fingerprint_;
  mutable std::map<KeyPath, ExtendedPrivateKey> parents_;
};

}  // namespace spv::wallet::spend
