// BIP37's filter and a serving node's matching once more: plain, slow, from the published descriptions, sharing no code
// with bip37/. A second opinion for differential tests and fuzz targets.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"

namespace spv::reference {

std::uint32_t murmur3(std::uint32_t seed, util::ByteView data);

struct Bloom {
  std::vector<bool> bits;
  std::uint32_t hash_funcs = 1;
  std::uint32_t tweak = 0;
  unsigned flags = 0;  // 0: nothing is inserted by matching, 1: every matched output, 2: those to keys and multisig

  void insert(util::ByteView element);
  [[nodiscard]] bool contains(util::ByteView element) const;
  /// What a node does with a transaction; true if it is relevant.
  bool match_and_update(const chain::Transaction& tx);
  /// The bits as the wire has them.
  [[nodiscard]] util::Bytes bytes() const;
};

}  // namespace spv::reference
