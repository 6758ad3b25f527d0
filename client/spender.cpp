#include "client/spender.h"

#include <chrono>
#include <utility>

namespace spv::client {
namespace {

/// What peers said about fees serves this long.
constexpr util::Duration kFeesServe = std::chrono::minutes(30);

Error not_in_wallet(const std::string& txid) {
  return {ErrorCode::NotFound, "no transaction in the wallet matches '" + txid + "'"};
}

Held* payer_of(const OpenWallets& wallets, const chain::Transaction& tx) {
  for (const auto& [id, held] : wallets.all()) {
    if (held->open.wallet.is_payment(tx)) return held.get();
  }
  return nullptr;
}

// Other processes may have handed out addresses and frozen coins.
void refresh(OpenWallet& open) {
  note_issued(open);
  note_frozen(open);
}

std::optional<Error> refusal(SyncState& state, const Held& held, Purpose purpose) {
  return purpose == Purpose::Send ? Syncer::cannot_send(state, &held) : std::nullopt;
}

}  // namespace

const FeesKnown* Spender::fees_of(const SyncState& state) const {
  if (!state.fees || setup_.clock().monotonic - state.fees->at > kFeesServe) return nullptr;
  return &state.fees->known;
}

wallet::spend::SpendMoment Spender::moment_of(const SyncState& state, const wallet::Wallet& wallet) const {
  return client::moment_of(wallet, fees_of(state), setup_.clock().wall);
}

Result<SpendPlan> Spender::plan(const std::string& wallet, const PaymentOptions& options, Purpose purpose) {
  return with<SpendPlan>(wallet, [&](SyncState& state, Held& held) -> Result<SpendPlan> {
    if (const auto why = refusal(state, held, purpose)) return *why;
    const auto rate = to_rate(options.fee_rate, fees_of(state), setup_.params);
    if (!rate) return rate.error();
    refresh(held.open);
    return plan_payment(held.open.wallet, options, *rate, moment_of(state, held.open.wallet), setup_.params);
  });
}

Result<SpendPlan> Spender::plan_replacement(const std::string& wallet, const ReplaceOptions& options,
                                            const MakeReplacement& make, Purpose purpose) {
  return with<SpendPlan>(wallet, [&](SyncState& state, Held& held) -> Result<SpendPlan> {
    if (const auto why = refusal(state, held, purpose)) return *why;
    const auto rate = to_rate(options.fee_rate, fees_of(state), setup_.params);
    if (!rate) return rate.error();
    const auto id = util::parse_hash<chain::Txid>(options.txid);
    if (!id || !held.open.wallet.knows(*id)) return not_in_wallet(options.txid);
    refresh(held.open);
    const wallet::spend::SpendSource source(held.open.wallet, moment_of(state, held.open.wallet));
    const auto original = source.original(*id);
    if (!original) return to_error(original.error());
    auto made = make(*original, {.rate = *rate, .allowed = {}}, source.context());
    if (!made) return to_error(made.error());
    return SpendPlan{.draft = std::move(made->draft), .rate = *rate, .replaces = id};
  });
}

Result<void> Spender::finish(SyncState& state, Held& held, const SpendPlan& plan, const chain::Transaction& tx) {
  // The sync may have ended while it was signed: then it is not stored, since nobody would send it now.
  if (const auto why = Syncer::cannot_send(state, &held)) return *why;
  note_frozen(held.open);
  auto stored = syncer_.store_payment(state, held, tx, {.replaces = plan.replaces});
  if (stored) syncer_.send_soon(state, &held, tx);
  return stored;
}

Result<std::string> Spender::broadcast(const chain::Transaction& tx) {
  const auto state = syncer_.lock();
  return guarded<std::string>([&]() -> Result<std::string> {
    Held* payer = payer_of(state->wallets, tx);
    if (const auto why = Syncer::cannot_send(*state, payer)) return *why;
    if (payer != nullptr) {
      if (const auto usable = state->usable(payer->name); !usable) return usable.error();
      note_frozen(payer->open);
      const wallet::OwnPaymentTerms terms{.replaces = payer->open.wallet.replaced_payment(tx)};
      if (const auto stored = syncer_.store_payment(*state, *payer, tx, terms); !stored) return stored.error();
    }
    syncer_.send_soon(*state, payer, tx);
    return util::to_string(tx.txid());
  });
}

Result<void> Spender::abandon(const std::string& wallet, const std::string& txid) {
  return with<void>(wallet, [&](SyncState& state, Held& held) -> Result<void> {
    const auto id = util::parse_hash<chain::Txid>(txid);
    if (!id || !held.open.wallet.knows(*id)) return not_in_wallet(txid);
    auto changes = held.open.wallet.abandon(*id);
    if (!changes) return Error{ErrorCode::Refused, changes.error().message};
    state.keep(held, std::move(*changes));
    return {};
  });
}

Result<void> Spender::request_fees() {
  const auto state = syncer_.lock();
  if (const auto why = Syncer::cannot_send(*state, nullptr)) {
    return Error{why->code, "nobody can be asked while no sync runs; call start() first"};
  }
  syncer_.request_fees_soon(*state);
  return {};
}

}  // namespace spv::client
