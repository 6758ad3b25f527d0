// The last look at a payment: a signed payment with any change to its bytes never passes, and any bytes at all get an
// answer; whatever script and witness an input has, the check of inputs calls no two encodings of it valid.
#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "tests/wallet/spend/spend_samples.h"
#include "wallet/spend/final_check.h"
#include "wallet/spend/input_check.h"

namespace {

using namespace spv;
using namespace spv::wallet::spend;

struct SignedSample {
  wallet::spend::test::Payment payment;
  util::Bytes bytes;
};

/// One payment from four coins of different forms.
const SignedSample& signed_sample(std::size_t number) {
  static const std::vector<SignedSample> kSamples = [] {
    namespace sample = wallet::spend::test;
    const auto forms = sample::all_forms();
    util::Rng rng(std::uint64_t{1});
    std::vector<SignedSample> out;
    for (std::size_t first = 0; first < forms.size(); first += 3) {
      std::vector<wallet::Descriptor> coins;
      for (std::size_t i = 0; i < 4; ++i) coins.push_back(sample::descriptor(forms[(first + i) % forms.size()]));
      SignedSample made{sample::payment(coins, rng), {}};
      util::ensure(sample::sign_all(made.payment, SeedKeys(sample::master())), "a sample is signed");
      made.bytes = made.payment.tx.serialize();
      out.push_back(std::move(made));
    }
    return out;
  }();
  return kSamples[number % kSamples.size()];
}

PaymentIntent intent_of(const wallet::spend::test::Payment& payment) {
  PaymentIntent out;
  out.rate = FeeRate(1'000);
  out.recipients = {payment.tx.outputs[0]};
  out.lock_time = payment.tx.lock_time;
  for (const auto& input : payment.tx.inputs) out.inputs.push_back({input.previous, input.sequence});
  return out;
}

WalletFacts facts_of(const wallet::spend::test::Payment& payment) {
  WalletFacts out;
  out.coin = [&](const chain::OutPoint& outpoint) -> std::optional<ProvenCoin> {
    for (std::size_t i = 0; i < payment.tx.inputs.size(); ++i) {
      if (payment.tx.inputs[i].previous == outpoint) return ProvenCoin{payment.spent[i], true};
    }
    return std::nullopt;
  };
  out.is_own = [&](util::ByteView script) { return !std::ranges::equal(script, payment.tx.outputs[0].script_pubkey); };
  return out;
}

void change_bytes(util::Bytes& bytes, fuzz::Input& input) {
  while (!input.empty() && !bytes.empty()) {
    const std::size_t at = input.word() % bytes.size();
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (input.below(4)) {
      case 0:
        *place ^= input.byte();
        break;
      case 1:
        *place = input.byte();
        break;
      case 2:
        bytes.insert(place, input.byte());
        break;
      default:
        bytes.erase(place);
        break;
    }
  }
}

void check_changed(fuzz::Input& input) {
  const SignedSample& sample = signed_sample(input.byte());
  util::Bytes bytes = sample.bytes;
  change_bytes(bytes, input);
  const auto result = check_finished(bytes, intent_of(sample.payment), facts_of(sample.payment));
  util::ensure(result.has_value() == (bytes == sample.bytes), "a change is not found");
  if (!result) util::ensure(!result.error().message.empty(), "no reason is given");
}

/// Any bytes as a transaction that spends coins of the sample's scripts, and one of any script.
void check_any(fuzz::Input& input) {
  const SignedSample& sample = signed_sample(input.byte());
  const util::Bytes script = util::to_bytes(input.piece());
  const auto tx = chain::Transaction::parse(input.rest());
  (void)check_finished(input.rest(), intent_of(sample.payment), facts_of(sample.payment)).has_value();
  if (!tx || tx->inputs.size() > 20) return;
  std::vector<chain::TxOutput> spent;
  for (std::size_t i = 0; i < tx->inputs.size(); ++i) {
    const auto& known = sample.payment.spent[i % sample.payment.spent.size()];
    spent.push_back({known.value, i == 0 && !script.empty() ? script : known.script_pubkey});
  }
  const SighashData data(*tx, spent);
  for (std::size_t i = 0; i < tx->inputs.size(); ++i) {
    if (check_input(data, i).verdict != InputVerdict::Valid) continue;
    auto other = *tx;
    other.inputs[i].script_sig.insert(other.inputs[i].script_sig.begin(), 0);
    util::ensure(check_input(SighashData(other, spent), i).verdict != InputVerdict::Valid, "two scripts are valid");
  }
}

}  // namespace

SPV_FUZZ_TARGET(final_check, input) {
  if (input.size() > 10'000) return;
  fuzz::Input rest(input);
  if (rest.chance()) return check_changed(rest);
  check_any(rest);
}
