// GeneratorTable: multiples of the generator of secp256k1, so that a key plus a multiple is a sum of 33 points at most.
// libsecp256k1 by itself doubles the key 129 times. Not in constant time: for what is public only.
#pragma once

#include <memory>
#include <optional>

#include "util/bytes.h"
#include "wallet/public_key.h"

namespace spv::wallet {

class GeneratorTable {
 public:
  /// Made at the first call: it takes as long as a thousand keys, and half a megabyte.
  static const GeneratorTable& shared();
  GeneratorTable(const GeneratorTable&) = delete;
  GeneratorTable& operator=(const GeneratorTable&) = delete;
  ~GeneratorTable();

  /// See PublicKey::plus(). `scalar` has 32 bytes.
  [[nodiscard]] std::optional<PublicKey> add_multiple(const PublicKey& to, util::ByteView scalar) const;

 private:
  struct Points;
  GeneratorTable();

  std::unique_ptr<const Points> points_;
};

}  // namespace spv::wallet
