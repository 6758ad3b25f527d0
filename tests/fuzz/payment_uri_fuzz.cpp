// Payment URIs (BIP21): what is taken is written again in one form, which says the same.
#include "tests/fuzz/fuzz.h"
#include "wallet/payment_uri.h"

SPV_FUZZ_TARGET(payment_uri, input) {
  using namespace spv;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto parsed = wallet::parse_payment_uri(text);
  if (!parsed) {
    util::ensure(!parsed.error().message.empty(), "no reason is given");
    return;
  }
  util::ensure(wallet::is_payment_uri(text), "another scheme is taken");
  util::ensure(!parsed->amount || (*parsed->amount >= 0 && *parsed->amount <= chain::kMaxMoney), "no such amount");
  const auto written = wallet::to_string(*parsed);
  if (written.size() > 4'096) return;
  const auto again = wallet::parse_payment_uri(written);
  util::ensure(again && *again == *parsed, "it says something else");
  util::ensure(wallet::to_string(*again) == written, "two forms");
}
