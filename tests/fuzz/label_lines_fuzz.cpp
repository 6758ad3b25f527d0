// Labels of other wallets (BIP329): what is taken can be written, and says the same when it is read again.
#include "cli/wallet/label_lines.h"
#include "report/label_text.h"
#include "tests/fuzz/fuzz.h"

SPV_FUZZ_TARGET(label_lines, input) {
  using namespace spv;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto& params = chain::params(chain::Network::Regtest);
  const auto read = cli::parse_label_lines(text, params);
  util::ensure((read.skipped == 0) == read.why.empty(), "no reason is given");
  for (const auto& change : read.labels) {
    util::ensure(!report::label_complaint(change.text.value_or("")), "a label that cannot be shown is taken");
    const wallet::Label label{.kind = change.kind,
                              .ref = change.ref,
                              .text = change.text.value_or(""),
                              .origin = change.origin.value_or(""),
                              .spendable = change.spendable};
    if (label.text.empty() && !label.spendable) continue;
    const auto again = cli::parse_label_lines(cli::label_line(label), params);
    util::ensure(again.labels.size() == 1, "what is written is not read");
    util::ensure(again.labels[0].ref == label.ref && again.labels[0].text.value_or("") == label.text, "another label");
  }
}
