#include "wallet/spend/final_check.h"

#include <algorithm>
#include <unordered_set>

#include "chain/script_reader.h"
#include "util/hex.h"
#include "wallet/script.h"
#include "wallet/spend/input_check.h"

namespace spv::wallet::spend {
namespace {

// The limits stand here once more, on purpose: a mistake in those of the construction must not pass.
constexpr chain::Amount kFinalMaxFee = chain::kCoin / 10;
constexpr int kFinalFeePercent = 25;
constexpr std::int64_t kFinalMaxWeight = 400'000;
constexpr std::int64_t kFinalMinStripped = 65;

using FinalCode = FinalCheckError::Code;
using FinalStep = util::Expected<void, FinalCheckError>;

util::Unexpected<FinalCheckError> reject(FinalCode code, std::string message) {
  return util::Unexpected{FinalCheckError{code, std::move(message)}};
}

std::string text_of(const chain::OutPoint& outpoint) {
  return to_string(outpoint.txid) + ':' + std::to_string(outpoint.index);
}

std::string satoshis(chain::Amount amount) { return std::to_string(amount) + " sat"; }

/// Below what an output costs to spend at 3 sat/vB, nodes do not relay it (Bitcoin Core's rule).
chain::Amount least_relayed_amount(const chain::TxOutput& output) {
  constexpr std::uint8_t kReturn = 0x6A;
  constexpr std::size_t kLegacyInput = 32 + 4 + 1 + 107 + 4;
  constexpr std::size_t kWitnessInput = 32 + 4 + 1 + 107 / 4 + 4;
  constexpr chain::Amount kDustRate = 3;
  const util::ByteView script(output.script_pubkey);
  if (!script.empty() && script[0] == kReturn) return 0;
  const std::size_t own = 8 + util::compact_size_length(script.size()) + script.size();
  const std::size_t input = as_witness_program(script) ? kWitnessInput : kLegacyInput;
  return kDustRate * static_cast<chain::Amount>(own + input);
}

/// One check after the other, each over the bytes that were read again.
class FinalCheck {
 public:
  FinalCheck(const chain::Transaction& tx, const PaymentIntent& intent, const WalletFacts& facts)
      : tx_(tx), intent_(intent), facts_(facts) {}

  util::Expected<FinalReport, FinalCheckError> run() {
    using Check = FinalStep (FinalCheck::*)();
    for (const Check check : {&FinalCheck::draft, &FinalCheck::size, &FinalCheck::coins, &FinalCheck::recipients,
                              &FinalCheck::dust, &FinalCheck::amounts, &FinalCheck::fee, &FinalCheck::signatures}) {
      if (const FinalStep step = (this->*check)(); !step) return util::Unexpected{step.error()};
    }
    return FinalReport{tx_.txid(), fee_, weight_};
  }

 private:
  FinalStep draft() {
    if (tx_.version != intent_.version || tx_.lock_time != intent_.lock_time) {
      return reject(FinalCode::WrongDraft, "the version or the lock time of the finished transaction was changed");
    }
    const auto same = [](const chain::TxInput& input, const PaymentIntent::Input& drafted) {
      return input.previous == drafted.outpoint && input.sequence == drafted.sequence;
    };
    if (!std::ranges::equal(tx_.inputs, intent_.inputs, same)) {
      return reject(FinalCode::WrongDraft, "the finished transaction spends other coins than the draft");
    }
    return {};
  }

  FinalStep size() {
    const auto stripped = static_cast<std::int64_t>(tx_.serialize(chain::Witness::Strip).size());
    weight_ = 3 * stripped + static_cast<std::int64_t>(tx_.serialize(chain::Witness::Include).size());
    if (stripped < kFinalMinStripped) {
      return reject(FinalCode::TooSmall, "the transaction has " + std::to_string(stripped) +
                                             " bytes and nodes relay none below 65: add an output");
    }
    if (weight_ > kFinalMaxWeight) {
      return reject(FinalCode::TooHeavy, "the transaction has a weight of " + std::to_string(weight_) +
                                             " and nodes relay at most 400000: pay with fewer coins");
    }
    return {};
  }

  FinalStep coins() {
    if (tx_.inputs.empty()) return reject(FinalCode::Malformed, "the transaction spends nothing");
    std::unordered_set<chain::OutPoint> seen;
    for (const auto& input : tx_.inputs) {
      const std::string name = text_of(input.previous);
      if (!seen.insert(input.previous).second) {
        return reject(FinalCode::DuplicateInput, "the transaction spends the coin " + name + " twice");
      }
      const auto coin = facts_.coin(input.previous);
      if (!coin || !facts_.is_own(coin->output.script_pubkey)) {
        return reject(FinalCode::UnknownCoin,
                      "the transaction spends " + name + ", which is not a coin of this wallet");
      }
      if (!coin->spendable) {
        return reject(FinalCode::CoinNotSpendable,
                      "the coin " + name + " is spent, immature or reserved by another payment: sync and try again");
      }
      spent_.push_back(coin->output);
    }
    return {};
  }

  /// Every recipient takes one output of its script and amount; what is left must be change.
  FinalStep recipients() {
    const auto order = [](const chain::TxOutput* a, const chain::TxOutput* b) {
      if (a->value != b->value) return a->value < b->value;
      return std::ranges::lexicographical_compare(a->script_pubkey, b->script_pubkey);
    };
    std::vector<const chain::TxOutput*> wanted;
    wanted.reserve(intent_.recipients.size());
    for (const auto& recipient : intent_.recipients) wanted.push_back(&recipient);
    std::vector<const chain::TxOutput*> paid;
    paid.reserve(tx_.outputs.size());
    for (const auto& output : tx_.outputs) paid.push_back(&output);
    std::ranges::sort(wanted, order);
    std::ranges::sort(paid, order);
    std::size_t next = 0;
    for (const auto* output : paid) {
      if (next < wanted.size() && *wanted[next] == *output) {
        ++next;
      } else if (!is_change(output->script_pubkey)) {
        return reject(FinalCode::StrangeOutput, "the transaction pays " + satoshis(output->value) + " to the script " +
                                                    util::to_hex(output->script_pubkey) +
                                                    ", which is neither a recipient nor change of this wallet");
      }
    }
    if (next == wanted.size()) return {};
    return reject(FinalCode::WrongRecipient, "the recipient with the script " +
                                                 util::to_hex(wanted[next]->script_pubkey) + " does not get " +
                                                 satoshis(wanted[next]->value));
  }

  [[nodiscard]] bool is_change(const util::Bytes& script) const {
    return facts_.is_own(script) || std::ranges::find(intent_.change_scripts, script) != intent_.change_scripts.end();
  }

  FinalStep dust() {
    for (const auto& output : tx_.outputs) {
      const chain::Amount least = least_relayed_amount(output);
      if (output.value >= least) continue;
      return reject(FinalCode::Dust, "an output of " + satoshis(output.value) +
                                         " is dust, which nodes do not relay: pay at least " + satoshis(least));
    }
    return {};
  }

  FinalStep amounts() {
    if (tx_.outputs.empty()) return reject(FinalCode::BadAmount, "the transaction pays nobody");
    chain::Amount in = 0;
    for (const auto& output : spent_) {
      if (chain::is_money(output.value)) in += output.value;
      if (!chain::is_money(output.value) || !chain::is_money(in)) {
        return reject(FinalCode::BadAmount, "the coins of the transaction are more than the 21 million");
      }
    }
    for (const auto& output : tx_.outputs) {
      if (chain::is_money(output.value)) out_ += output.value;
      if (!chain::is_money(output.value) || !chain::is_money(out_)) {
        return reject(FinalCode::BadAmount, "the outputs of the transaction are more than the 21 million");
      }
    }
    fee_ = in - out_;
    if (fee_ >= 0) return {};
    return reject(FinalCode::BadAmount, "the transaction pays " + satoshis(-fee_) + " more than its coins have");
  }

  FinalStep fee() {
    chain::Amount amount = 0;
    for (const auto& recipient : intent_.recipients) amount += recipient.value;  // found above: below 21 million
    if (intent_.recipients.empty()) amount = out_;
    if (fee_ > kFinalMaxFee) {
      return reject(FinalCode::FeeTooHigh, "the fee of " + satoshis(fee_) + " is above the limit of 0.1 BTC");
    }
    if (!intent_.allow_high_fee && fee_ * 100 > amount * kFinalFeePercent) {
      return reject(FinalCode::FeeTooHigh, "the fee of " + satoshis(fee_) + " is more than 25% of the amount of " +
                                               satoshis(amount) + ": use --allow-high-fee if you mean it");
    }
    const chain::Amount least = intent_.rate.fee((weight_ + 3) / 4);
    if (fee_ < least) {
      return reject(FinalCode::FeeTooLow,
                    "the fee of " + satoshis(fee_) + " is below the rate asked for, which takes " + satoshis(least));
    }
    return {};
  }

  FinalStep signatures() {
    const SighashData data(tx_, spent_);
    for (std::size_t i = 0; i < tx_.inputs.size(); ++i) {
      const InputCheck checked = check_input(data, i);
      if (checked.verdict == InputVerdict::Valid && checked.signs_all) continue;
      return reject(FinalCode::BadSignature,
                    "the signature of input " + std::to_string(i) + " does not verify, or does not sign everything");
    }
    return {};
  }

  const chain::Transaction& tx_;
  const PaymentIntent& intent_;
  const WalletFacts& facts_;
  std::vector<chain::TxOutput> spent_;
  chain::Amount out_ = 0;
  chain::Amount fee_ = 0;
  std::int64_t weight_ = 0;
};

}  // namespace

util::Expected<FinalReport, FinalCheckError> check_finished(util::ByteView bytes, const PaymentIntent& intent,
                                                            const WalletFacts& facts) {
  if (bytes.size() > static_cast<std::size_t>(kFinalMaxWeight)) {
    return reject(FinalCode::TooHeavy, "the transaction is larger than nodes relay: pay with fewer coins");
  }
  const auto tx = chain::Transaction::parse(bytes);
  if (!tx || !std::ranges::equal(tx->serialize(), bytes)) {
    return reject(FinalCode::Malformed, "the finished bytes are not one transaction");
  }
  return FinalCheck(*tx, intent, facts).run();
}

}  // namespace spv::wallet::spend
