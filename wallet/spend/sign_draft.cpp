#include "wallet/spend/sign_draft.h"

#include "wallet/spend/candidate.h"

namespace spv::wallet::spend {

util::Expected<chain::Transaction, PaymentError> sign_draft(const Draft& draft, const SigningKeys& keys) {
  std::vector<chain::TxOutput> spent;
  spent.reserve(draft.inputs.size());
  for (const auto& input : draft.inputs) spent.push_back(input.spent);
  const SighashData data(draft.tx, spent);
  chain::Transaction finished = draft.tx;
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    const auto& solution = draft.inputs[i].solution;
    const auto signatures = solution ? sign_input(data, i, *solution, keys) : std::vector<KeySignature>{};
    if (!solution || !finish_input(finished.inputs[i], *solution, signatures)) {
      return refuse("cannot-sign", "this wallet cannot sign for the coin " + to_string(draft.inputs[i].outpoint) +
                                       "; write a PSBT with --psbt and sign it where its keys are");
    }
  }
  return finished;
}

}  // namespace spv::wallet::spend
