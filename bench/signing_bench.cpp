// What signing costs, in CPU time: 1,000 inputs of one script type, from descriptors to a checked transaction.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/resources.h"
#include "wallet/account.h"
#include "wallet/spend/input_check.h"
#include "wallet/spend/seed_keys.h"

namespace {

using namespace spv;
using bench::cpu_seconds;
using namespace wallet::spend;

constexpr std::uint32_t kInputs = 1'000;

template <typename Work>
void timed(const char* what, Work work) {
  const double before = cpu_seconds();
  work();
  std::printf("  %-40s %8.3f s\n", what, cpu_seconds() - before);
}

void measure(wallet::ScriptKind kind) {
  const auto& params = chain::params(chain::Network::Regtest);
  wallet::Seed seed;
  const auto descriptor = wallet::account_descriptors(seed, kind, 0, params)->at(0);
  std::printf("%u inputs of %s\n", kInputs, std::string(to_string(kind)).c_str());
  chain::Transaction tx;
  std::vector<chain::TxOutput> spent;
  std::vector<Solution> solutions;
  timed("solutions", [&] {
    for (std::uint32_t i = 0; i < kInputs; ++i) solutions.push_back(*solve(descriptor, i));
  });
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    chain::TxInput input;
    input.previous.index = i;
    tx.inputs.push_back(input);
    spent.push_back({10'000, solutions[i].script_pubkey});
  }
  tx.outputs.push_back({9'000'000, solutions[0].script_pubkey});
  std::vector<std::vector<KeySignature>> signatures;
  timed("signatures", [&] {
    const SeedKeys keys(*wallet::ExtendedPrivateKey::from_seed(seed.view()));
    const SighashData data(tx, spent);
    for (std::uint32_t i = 0; i < kInputs; ++i) signatures.push_back(sign_input(data, i, solutions[i], keys));
  });
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    if (!finish_input(tx.inputs[i], solutions[i], signatures[i])) std::abort();
  }
  timed("checks of the finished inputs", [&] {
    const SighashData data(tx, spent);
    for (std::uint32_t i = 0; i < kInputs; ++i) {
      if (check_input(data, i).verdict != InputVerdict::Valid) std::abort();
    }
  });
}

}  // namespace

int main() {
  using Kind = wallet::ScriptKind;
  for (const Kind kind : {Kind::Pkh, Kind::ShWpkh, Kind::Wpkh, Kind::Tr}) measure(kind);
  return 0;
}
