#include "cli/commands/spend/spend_run.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/spend/broadcast_run.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/output/report.h"
#include "cli/wallet/confirm.h"
#include "cli/wallet/wallet_secret.h"
#include "client/clock.h"
#include "client/payment_plan.h"
#include "wallet/spend/check_payment.h"
#include "wallet/spend/psbt_roles.h"
#include "wallet/spend/seed_keys.h"
#include "wallet/spend/sign_draft.h"

namespace spv::cli {
namespace {

using wallet::spend::FeeRate;

bool goes_online(const SpendOptions& options) {
  return !options.dry_run && !options.no_broadcast && options.psbt.empty();
}

// Before anything is done: a command that cannot be finished should not begin.
void check_options(const CommonOptions& common, const SpendOptions& options) {
  if (!options.psbt.empty() && options.no_broadcast) throw UsageError("--psbt and --no-broadcast exclude each other");
  const bool asks = options.psbt.empty() && !options.dry_run && !options.yes && !common.json;
  if (asks && !can_ask()) throw UsageError("cannot ask without a terminal; use --yes to send without a question");
}

}  // namespace

SpendRun::SpendRun(const CommonOptions& common, const SpendOptions& options)
    : common_(common), options_((check_options(common, options), options)), open_(open_wallet(common, Access::Write)) {
  if (options.psbt.empty() && open_.stored->info().kind == store::WalletKind::Watch) {
    throw CommandError(ExitCode::Failed, "watch-only",
                       "this wallet is watch-only: it holds no private keys; use --psbt FILE and sign it elsewhere");
  }
}

void SpendRun::prepare(std::optional<FeeRate> wanted) {
  if (goes_online(options_)) fees_ = ask_fees(common_, options_.sync, &open_);
  choose_rate(wanted);
}

void SpendRun::choose_rate(std::optional<FeeRate> wanted) {
  if (wanted) {
    rate_ = *wanted;
    return;
  }
  rate_ = wallet::spend::usual_rate(common_.network, {.floor = fees_.floor, .estimate = fees_.estimate})
              .value_or(wallet::spend::kMinRelayRate);
  if (!fees_.floor && !fees_.estimate) rate_note_ = "no fee information; using the minimum relay fee rate of 1 sat/vB";
}

wallet::spend::SpendMoment SpendRun::moment() const {
  return client::moment_of(open_.wallet, &fees_, client::read_clock().wall);
}

const wallet::spend::SpendSource& SpendRun::source() {
  source_ = std::make_unique<wallet::spend::SpendSource>(open_.wallet, moment());
  return *source_;
}

SpendView SpendRun::view() const {
  return {.wallet = open_.wallet, .params = chain::params(common_.network), .unit = common_.unit};
}

ExitCode SpendRun::finish(SpendPlan plan) {
  if (!rate_note_.empty()) plan.notes.push_back(rate_note_);
  // A PSBT on stdout stands alone.
  if (!common_.json && options_.psbt != "-") print_plan(plan, view());
  if (!options_.psbt.empty()) return write_psbt(plan);
  if (!options_.dry_run) ask();
  const chain::Transaction tx = sign(plan);
  if (options_.dry_run) return report(plan, tx, {});
  store(plan, tx);
  if (options_.no_broadcast) return report(plan, tx, {});
  return report(plan, tx, broadcast(common_, options_.sync, &open_, tx));
}

void SpendRun::ask() const {
  if (options_.yes || common_.json) return;
  std::fflush(stdout);
  if (!confirm(options_.no_broadcast ? "Sign and store?" : "Send?")) {
    throw CommandError(ExitCode::Failed, "cancelled", "nothing is sent");
  }
}

ExitCode SpendRun::write_psbt(const SpendPlan& plan) const {
  const bool to_stdout = options_.psbt == "-";
  const auto version = static_cast<std::uint32_t>(options_.psbt_version);
  const auto psbt = take(wallet::spend::create_psbt(plan.draft, version));
  if (!to_stdout || !common_.json) write_psbt_file(to_stdout ? "" : options_.psbt, psbt);
  if (common_.json) {
    auto out = outcome_json(shown_payment(plan, view()), plan.draft.tx, {});
    out["psbt"] = to_base64(psbt);
    print_json(out);
  } else if (!to_stdout) {
    print_line("PSBT written to " + options_.psbt);
  }
  return ExitCode::Done;
}

// The keys live as long as this takes.
chain::Transaction SpendRun::sign(const SpendPlan& plan) {
  const wallet::Seed seed = unlock(*open_.stored, options_.passphrase_file);
  const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view());
  if (!master) throw CommandError(ExitCode::Failed, "secret", "the wallet's seed has no master key");
  const wallet::spend::SeedKeys keys(*master);
  chain::Transaction tx = take(wallet::spend::sign_draft(plan.draft, keys));
  take(wallet::spend::check_payment(tx, plan.draft,
                                    {.rate = rate_,
                                     .allow_high_fee = options_.allow_high_fee,
                                     .replaces = plan.replaces,
                                     .change_script = plan.change_script},
                                    open_.wallet));
  return tx;
}

void SpendRun::store(const SpendPlan& plan, const chain::Transaction& tx) {
  client::note_frozen(open_);  // another process may have frozen a coin while the user was asked
  const auto state = options_.no_broadcast ? wallet::SendState::NotSent : wallet::SendState::Announced;
  const auto changes = open_.wallet.add_own(tx, state, client::read_clock().wall, {.replaces = plan.replaces});
  if (!changes) throw CommandError(ExitCode::Failed, "coin-not-free", changes.error().message);
  client::commit_changes(open_, *changes, client::read_clock().wall);
  if (plan.label) {
    open_.stored->change_labels(
        {{.kind = wallet::LabelKind::Tx, .ref = util::to_string(tx.txid()), .text = plan.label}});
  }
}

ExitCode SpendRun::report(const SpendPlan& plan, const chain::Transaction& tx,
                          const report::SendOutcome& outcome) const {
  if (common_.json) {
    print_json(outcome_json(shown_payment(plan, view()), tx, outcome));
  } else {
    print_line(outcome_text(tx.txid(), outcome));
  }
  return outcome.state == "uncertain" ? ExitCode::Network : ExitCode::Done;
}

}  // namespace spv::cli
