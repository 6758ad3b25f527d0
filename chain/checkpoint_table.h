// The facts behind checkpoints.h as text, made by tools/make_checkpoints.py from what bitcoinj and Electrum publish.
#pragma once

#include <span>
#include <string_view>

#include "chain/params.h"

namespace spv::chain {

/// A start point as it is written in the table.
struct StartPointRow {
  Height height = 0;
  std::string_view work;    // hex
  std::string_view header;  // hex
};

struct CheckpointTable {
  std::span<const StartPointRow> start_points;
  /// Entry i is the hash of the block at 2016 * periods_between * (i + 1) - 1.
  std::span<const std::string_view> hashes;
  Height periods_between = 1;
};

/// Regtest has none. Testnet4 has no start points: of its blocks only the hashes are published.
CheckpointTable checkpoint_table(Network network);

}  // namespace spv::chain
