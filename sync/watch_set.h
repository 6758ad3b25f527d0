// WatchSet: the scripts and outpoints that a wallet watches, in one flat table, for whole blocks that are matched here.
// An entry is a fingerprint of 64 bits under a secret key: nothing that is watched is ever missed, what is found by
// chance (once in 10^13 looks at a table of a million) the wallet itself sorts out, and nobody can aim for it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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
    if ((sieve_[sieve_word(entry)] & sieve_bits(entry)) != sieve_bits(entry)) [[likely]]
      return false;
    std::size_t slot = entry & mask_;
    while (slots_[slot] != 0) {
      if (slots_[slot] == entry) return true;
      slot = (slot + 1) & mask_;
    }
    return false;
  }
  /// True if contains() is true of any; with a large table much quicker than one after the other.
  [[nodiscard]] bool contains_any(std::span<const Fingerprint> entries) const;

  [[nodiscard]] Fingerprint of_script(util::ByteView script) const { return of(script, keys_[0]); }
  /// `outpoint`: its wire form.
  [[nodiscard]] Fingerprint of_outpoint(util::ByteView outpoint) const { return of(outpoint, keys_[1]); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  [[nodiscard]] Fingerprint of(util::ByteView bytes, std::uint64_t key) const;
  void resize(std::size_t slots);
  void grow();
  [[nodiscard]] bool may_contain(Fingerprint entry) const {
    return (sieve_[sieve_word(entry)] & sieve_bits(entry)) == sieve_bits(entry);
  }
  [[nodiscard]] std::size_t sieve_word(Fingerprint entry) const { return (entry & mask_) / kSlotsPerWord; }
  // Two of the 64 bits of its word, by bits of the fingerprint that no slot of a table in memory depends on.
  static std::uint64_t sieve_bits(Fingerprint entry) {
    return (std::uint64_t{1} << (entry >> 58U)) | (std::uint64_t{1} << ((entry >> 52U) & 63U));
  }

  static constexpr std::size_t kSlotsPerWord = 16;

  std::array<std::uint64_t, 4> keys_{};
  std::vector<Fingerprint> slots_;  // a power of two, at most half of them used; zero: free
  // Asked first: a sixteenth of the table's size, so that it stays in the processor's cache when the table does not.
  std::vector<std::uint64_t> sieve_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace spv::sync
