// WatchSet: the scripts and outpoints that a wallet watches, in one flat table, for whole blocks that are matched here.
// An entry is a fingerprint of 64 bits under a secret key: nothing that is watched is ever missed, what is found by
// chance (once in 10^13 looks at a table of a million) the wallet itself sorts out, and nobody can aim for it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/rng.h"

namespace spv::sync {

class WatchSet {
 public:
  using Fingerprint = std::uint64_t;

  explicit WatchSet(util::Rng rng);

  /// Forgets everything and makes room for so many.
  void clear(std::size_t expected);
  void add(Fingerprint entry);
  [[nodiscard]] bool contains(Fingerprint entry) const {
    std::size_t slot = entry & mask_;
    while (slots_[slot] != 0) {
      if (slots_[slot] == entry) return true;
      slot = (slot + 1) & mask_;
    }
    return false;
  }
  /// Fetches what contains() will look at.
  void prefetch(Fingerprint entry) const { __builtin_prefetch(&slots_[entry & mask_]); }

  [[nodiscard]] Fingerprint of_script(util::ByteView script) const { return of(script, keys_[0]); }
  /// `outpoint`: its wire form.
  [[nodiscard]] Fingerprint of_outpoint(util::ByteView outpoint) const { return of(outpoint, keys_[1]); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  [[nodiscard]] Fingerprint of(util::ByteView bytes, std::uint64_t key) const;
  void grow(std::size_t slots);

  std::array<std::uint64_t, 4> keys_{};
  std::vector<Fingerprint> slots_;  // a power of two, at most half of them used; zero: free
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace spv::sync
