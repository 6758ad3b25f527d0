// The roles of PSBTs on any file: what is combined, updated, signed or finalised can be read again and is of the same
// transaction, and nothing is signed that the summary finds wrong.
#include "tests/fuzz/fuzz.h"
#include "wallet/script.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_summary.h"
#include "wallet/spend/seed_keys.h"

namespace {

using namespace spv;
namespace spend = wallet::spend;

/// Takes every key of the file that its seed has, and knows no coins.
class SeedWallet final : public spend::PsbtWallet {
 public:
  explicit SeedWallet(const wallet::ExtendedPrivateKey& master) : master_(master) {}
  [[nodiscard]] std::optional<spend::KnownCoin> coin(const chain::OutPoint& /*outpoint*/) const override { return {}; }
  [[nodiscard]] std::optional<spend::KnownScript> script(util::ByteView /*script*/) const override { return {}; }
  [[nodiscard]] bool derives(const spend::SpendKey& key) const override {
    if (!key.origin || !is_ours(key.origin->fingerprint)) return false;
    const auto child = master_.descend(key.origin->path);
    const auto found = child ? child->to_public().key().compressed() : wallet::CompressedKey{};
    return key.public_key.size() <= found.size() &&
           std::ranges::equal(key.public_key, util::ByteView(found).last(key.public_key.size()));
  }
  [[nodiscard]] bool is_ours(const wallet::Fingerprint& fingerprint) const override {
    return fingerprint == master_.fingerprint();
  }

 private:
  const wallet::ExtendedPrivateKey& master_;
};

void check_result(const util::Expected<spend::Psbt, spend::PsbtError>& result, const spend::Psbt& before) {
  if (!result) return util::ensure(!result.error().message.empty(), "no reason is given");
  const auto again = spend::parse_psbt(spend::serialize(*result));
  util::ensure(again && *again == *result, "the result of a role is not a PSBT");
  util::ensure(result->tx == before.tx && result->version == before.version, "a role changed the transaction");
}

}  // namespace

SPV_FUZZ_TARGET(psbt_roles, input) {
  if (input.size() > 20'000) return;
  const auto psbt = spend::read_psbt(input);
  if (!psbt) return;
  static const auto master = wallet::ExtendedPrivateKey::from_seed(util::Bytes(32, 1)).value();
  static const spend::SeedKeys keys(master);
  const SeedWallet wallet(master);
  check_result(spend::update_psbt(*psbt, wallet), *psbt);
  check_result(spend::combine_psbts(std::vector{*psbt, *psbt}), *psbt);
  const auto summary = spend::describe(*psbt, wallet);
  util::ensure(summary.inputs.size() == psbt->inputs.size(), "inputs that are not shown");
  const auto done = spend::sign_psbt(*psbt, wallet, keys);
  if (done) {
    util::ensure(summary.problems.empty(), "signed in spite of a problem");
    check_result(done->psbt, *psbt);
    util::ensure(spend::sign_psbt(done->psbt, wallet, keys)->signatures == 0, "signed twice");
  }
  const auto final = spend::finalize_psbt(*psbt);
  check_result(final, *psbt);
  if (!final) return;
  util::ensure(summary.complete || psbt->inputs.empty(), "final, but not shown as complete");
  const auto tx = spend::extract_transaction(*final);
  if (tx) util::ensure(tx->outputs == psbt->tx.outputs, "other outputs");
}
