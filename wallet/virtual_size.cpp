#include "wallet/virtual_size.h"

#include <algorithm>

namespace spv::wallet {
namespace {

// One push of a program of version 0: BIP141 allows nothing else in the script of a nested input.
bool pushes_witness_program(const util::Bytes& script) {
  constexpr std::size_t kKeyHash = 20;
  constexpr std::size_t kScriptHash = 32;
  for (const std::size_t hash : {kKeyHash, kScriptHash}) {
    if (script.size() == hash + 3 && script[0] == hash + 2 && script[1] == 0 && script[2] == hash) return true;
  }
  return false;
}

}  // namespace

bool lacks_witness(const chain::TxInput& input) {
  return input.witness.empty() && (input.script_sig.empty() || pushes_witness_program(input.script_sig));
}

std::optional<std::uint64_t> virtual_size(const chain::Transaction& tx) {
  // A transaction comes with all of its witnesses or with none. Whether a coinbase has one cannot be told.
  if (!tx.has_witness() && (tx.is_coinbase() || std::ranges::any_of(tx.inputs, lacks_witness))) return std::nullopt;
  constexpr std::uint64_t kScale = 4;
  const std::uint64_t base = tx.serialized_size(chain::Witness::Strip);
  const std::uint64_t weight = (kScale - 1) * base + tx.serialized_size(chain::Witness::Include);
  return (weight + kScale - 1) / kScale;
}

}  // namespace spv::wallet
