// The size of a transaction as fees are counted (BIP141), where it is known: a node sends the transactions of a
// filtered block without their witnesses (BIP37 is older than those).
#pragma once

#include <cstdint>
#include <optional>

#include "chain/transaction.h"

namespace spv::wallet {

/// Whether an input spends a witness program and its witness is not here. Without the output that it spends this is
/// told by its script: empty, or nothing but a witness program (P2SH).
bool lacks_witness(const chain::TxInput& input);

/// In virtual bytes; nothing where a witness may be missing.
std::optional<std::uint64_t> virtual_size(const chain::Transaction& tx);

}  // namespace spv::wallet
