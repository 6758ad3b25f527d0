// Client: what spending needs private keys for, a wallet's own or those of a Signer. With SPV_WITH_SECRETS=OFF nothing
// here signs.
#include <spv/client.h>
#if SPV_WITH_SECRETS
#include <algorithm>
#include <map>
#include <utility>

#include "client/client_impl.h"
#include "client/spender.h"
#include "wallet/mnemonic.h"
#include "wallet/secret_box.h"
#include "wallet/spend/check_payment.h"
#include "wallet/spend/psbt_summary.h"
#include "wallet/spend/seed_keys.h"
#include "wallet/spend/seed_psbt.h"
#include "wallet/spend/sign_draft.h"
#include "wallet/spend/wallet_psbt.h"
#endif

namespace spv {
#if SPV_WITH_SECRETS
namespace {

using client::Held;
using client::SyncState;
using wallet::spend::KnownCoin;
using wallet::spend::KnownScript;
using wallet::spend::Psbt;
using wallet::spend::SigningKeys;
using wallet::spend::SpendKey;

/// Asks the user's functions.
class SignerKeys final : public SigningKeys {
 public:
  explicit SignerKeys(const Signer& signer) : signer_(signer) {}

  [[nodiscard]] std::optional<util::Bytes> ecdsa(const SpendKey& key, const util::Hash256& digest) const override {
    if (!signer_.ecdsa) return std::nullopt;
    return signer_.ecdsa(to_key(key), digest.bytes);
  }
  [[nodiscard]] std::optional<std::array<std::uint8_t, 64>> schnorr(const SpendKey& key,
                                                                    const util::Hash256& digest) const override {
    if (!signer_.schnorr) return std::nullopt;
    const auto given = signer_.schnorr(to_key(key), digest.bytes);
    std::array<std::uint8_t, 64> out{};
    if (!given || given->size() != out.size()) return std::nullopt;
    std::ranges::copy(*given, out.begin());
    return out;
  }

 private:
  static SignerKey to_key(const SpendKey& key) {
    SignerKey out;
    out.public_key = key.public_key;
    if (key.origin) {
      out.fingerprint = key.origin->fingerprint;
      out.path = key.origin->path;
    }
    return out;
  }

  const Signer& signer_;
};

/// What a wallet knows of one PSBT, for those who sign it while the wallet goes on.
class PsbtSnapshot final : public wallet::spend::PsbtWallet {
 public:
  PsbtSnapshot(const Psbt& psbt, const wallet::spend::PsbtSummary& summary, const wallet::spend::PsbtWallet& wallet) {
    for (const auto& input : psbt.tx.inputs) {
      if (auto known = wallet.coin(input.previous)) {
        note(known->output.script_pubkey, wallet);
        coins_.emplace(input.previous, std::move(*known));
      }
    }
    for (const auto& input : summary.inputs) {
      if (input.spent) note(input.spent->script_pubkey, wallet);
    }
    for (const auto& output : psbt.tx.outputs) note(output.script_pubkey, wallet);
  }

  [[nodiscard]] std::optional<KnownCoin> coin(const chain::OutPoint& outpoint) const override {
    const auto found = coins_.find(outpoint);
    return found == coins_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<KnownScript> script(util::ByteView script_pubkey) const override {
    const auto found = scripts_.find(util::to_bytes(script_pubkey));
    return found == scripts_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] bool derives(const SpendKey& /*key*/) const override { return false; }
  [[nodiscard]] bool is_ours(const wallet::Fingerprint& /*fingerprint*/) const override { return false; }

 private:
  void note(const util::Bytes& script, const wallet::spend::PsbtWallet& wallet) {
    if (auto known = wallet.script(script)) scripts_.insert_or_assign(script, std::move(*known));
  }

  std::map<chain::OutPoint, KnownCoin> coins_;
  std::map<util::Bytes, KnownScript> scripts_;
};

Result<wallet::ExtendedPrivateKey> to_master(const util::SecretBytes& bytes) {
  wallet::Seed seed;
  if (bytes.size() != seed.bytes.size()) {
    return Error{ErrorCode::Damaged, "the wallet's secret has the wrong length; restore it from the mnemonic"};
  }
  std::ranges::copy(bytes, seed.bytes.begin());
  const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view());
  if (!master) return Error{ErrorCode::Damaged, "the wallet's seed has no master key"};
  return *master;
}

// The passphrase takes its time to be tried: nothing is locked meanwhile.
Result<wallet::ExtendedPrivateKey> unlock(client::Spender& spender, const std::string& wallet,
                                          const Secret& passphrase) {
  std::optional<store::StoredSecret> stored;
  chain::Network network{};
  const auto read = spender.with<void>(wallet, [&](SyncState&, Held& held) -> Result<void> {
    stored = held.open.stored->secret();
    network = held.open.stored->network();
    if (stored) return {};
    return Error{ErrorCode::Refused,
                 "the wallet is watch-only: it holds no private keys; create a PSBT, or sign with a Signer"};
  });
  if (!read) return read.error();
  if (stored->format == store::StoredSecret::Format::Plain) return to_master(stored->data);
  const auto secret = wallet::open_secret(stored->data, util::as_bytes(passphrase.text()), network);
  if (!secret) return Error{ErrorCode::Secret, std::string(to_string(secret.error()))};
  return to_master(*secret);
}

/// Signs a plan, checks what came of it, and sends it.
Result<Payment> complete(client::Spender& spender, const std::string& wallet, const client::SpendPlan& plan,
                         const SigningKeys& keys, const chain::NetworkParams& params) {
  const auto tx = wallet::spend::sign_draft(plan.draft, keys);
  if (!tx) return client::to_error(tx.error());
  const wallet::spend::PaymentTerms terms{.rate = plan.rate,
                                          .allow_high_fee = plan.allow_high_fee,
                                          .replaces = plan.replaces,
                                          .change_script = plan.change_script};
  return spender.with<Payment>(wallet, [&](SyncState& state, Held& held) -> Result<Payment> {
    if (const auto checked = wallet::spend::check_payment(*tx, plan.draft, terms, held.open.wallet); !checked) {
      return client::to_error(checked.error());
    }
    if (const auto sent = spender.finish(state, held, plan, *tx); !sent) return sent.error();
    return client::to_payment(plan.draft, *tx, params);
  });
}

Result<std::string> signed_by(const Psbt& psbt, const wallet::spend::PsbtWallet& wallet, const SigningKeys& keys) {
  const auto made = wallet::spend::sign_psbt(psbt, wallet, keys);
  if (!made) return client::to_error(made.error());
  if (made->signatures == 0) return Error{ErrorCode::InvalidPsbt, "nothing was signed: no key gave a signature"};
  return to_base64(made->psbt);
}

using PlanIt = std::function<Result<client::SpendPlan>()>;

Result<Payment> send_by_seed(client::Spender& spender, const std::string& wallet, const Secret& passphrase,
                             const PlanIt& plan_it, const chain::NetworkParams& params) {
  return client::guarded<Payment>([&]() -> Result<Payment> {
    const auto master = unlock(spender, wallet, passphrase);
    if (!master) return master.error();
    const auto plan = plan_it();
    if (!plan) return plan.error();
    return complete(spender, wallet, *plan, wallet::spend::SeedKeys(*master), params);
  });
}

Result<Payment> send_by_signer(client::Spender& spender, const std::string& wallet, const Signer& signer,
                               const PlanIt& plan_it, const chain::NetworkParams& params) {
  return client::guarded<Payment>([&]() -> Result<Payment> {
    const auto plan = plan_it();
    if (!plan) return plan.error();
    return complete(spender, wallet, *plan, SignerKeys(signer), params);
  });
}

}  // namespace

Result<Payment> Client::send(const std::string& wallet, const PaymentOptions& options, const Secret& passphrase) {
  auto& spender = impl_->spender;
  return send_by_seed(
      spender, wallet, passphrase, [&] { return spender.plan(wallet, options, client::Purpose::Send); },
      impl_->setup.params);
}

Result<Payment> Client::send_with(const std::string& wallet, const PaymentOptions& options, const Signer& signer) {
  auto& spender = impl_->spender;
  return send_by_signer(
      spender, wallet, signer, [&] { return spender.plan(wallet, options, client::Purpose::Send); },
      impl_->setup.params);
}

Result<Payment> Client::bump(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                             const Secret& passphrase) {
  auto& spender = impl_->spender;
  const auto plan = [&] {
    return spender.plan_replacement(wallet, {txid, fee_rate}, wallet::spend::bump, client::Purpose::Send);
  };
  return send_by_seed(spender, wallet, passphrase, plan, impl_->setup.params);
}

Result<Payment> Client::bump_with(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                                  const Signer& signer) {
  auto& spender = impl_->spender;
  const auto plan = [&] {
    return spender.plan_replacement(wallet, {txid, fee_rate}, wallet::spend::bump, client::Purpose::Send);
  };
  return send_by_signer(spender, wallet, signer, plan, impl_->setup.params);
}

Result<Payment> Client::cancel(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                               const Secret& passphrase) {
  auto& spender = impl_->spender;
  const auto plan = [&] {
    return spender.plan_replacement(wallet, {txid, fee_rate}, wallet::spend::cancel, client::Purpose::Send);
  };
  return send_by_seed(spender, wallet, passphrase, plan, impl_->setup.params);
}

Result<std::string> Client::sign_psbt(const std::string& wallet, std::string_view psbt, const Secret& passphrase,
                                      bool allow_high_fee) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    const auto parsed = client::read_psbt(psbt);
    if (!parsed) return parsed.error();
    const auto master = unlock(impl_->spender, wallet, passphrase);
    if (!master) return master.error();
    return impl_->look<std::string>(wallet, [&](const client::OpenWallet& open) -> Result<std::string> {
      const wallet::spend::SeedPsbt ours(open.wallet, *master);
      const auto checked = check_fee(describe(*parsed, ours), {.high_fee = allow_high_fee});
      if (!checked) return client::to_error(checked.error());
      return signed_by(*parsed, ours, wallet::spend::SeedKeys(*master));
    });
  });
}

Result<std::string> Client::sign_psbt_with(const std::string& wallet, std::string_view psbt, const Signer& signer,
                                           bool allow_high_fee) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    const auto parsed = client::read_psbt(psbt);
    if (!parsed) return parsed.error();
    std::optional<PsbtSnapshot> ours;
    const auto looked = impl_->look<void>(wallet, [&](const client::OpenWallet& open) -> Result<void> {
      const wallet::spend::WalletPsbt known(open.wallet, open.stored->info().fingerprint);
      const auto summary = describe(*parsed, known);
      const auto checked = check_fee(summary, {.high_fee = allow_high_fee});
      if (!checked) return client::to_error(checked.error());
      ours.emplace(*parsed, summary, known);
      return {};
    });
    if (!looked) return looked.error();
    return signed_by(*parsed, *ours, SignerKeys(signer));
  });
}
#else
namespace {

Error no_signing() {
  return {ErrorCode::Unsupported, "this build does not sign; create a PSBT, sign it elsewhere and broadcast it"};
}

}  // namespace

Result<Payment> Client::send(const std::string&, const PaymentOptions&, const Secret&) { return no_signing(); }
Result<Payment> Client::send_with(const std::string&, const PaymentOptions&, const Signer&) { return no_signing(); }
Result<Payment> Client::bump(const std::string&, const std::string&, std::int64_t, const Secret&) {
  return no_signing();
}
Result<Payment> Client::bump_with(const std::string&, const std::string&, std::int64_t, const Signer&) {
  return no_signing();
}
Result<Payment> Client::cancel(const std::string&, const std::string&, std::int64_t, const Secret&) {
  return no_signing();
}
Result<std::string> Client::sign_psbt(const std::string&, std::string_view, const Secret&, bool) {
  return no_signing();
}
Result<std::string> Client::sign_psbt_with(const std::string&, std::string_view, const Signer&, bool) {
  return no_signing();
}
#endif
}  // namespace spv
