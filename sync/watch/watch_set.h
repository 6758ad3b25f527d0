// WatchSet: the scripts and outpoints that a wallet watches, in one flat table, for whole blocks that are matched here.
// An entry is a fingerprint of 64 bits under a secret key: nothing that is watched is ever missed, what is found by
// chance (once in 10^13 looks at a table of a million) the wallet itself sorts out, and nobody can aim for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/rng.h"

namespace spv::sync {

class WatchSet {
 public:
  using Fingerprint = std::uint64_t;
  /// Of what is never in the set.
  static constexpr Fingerprint kNone = 0;

  explicit WatchSet(util::Rng rng);

  /// Forgets everything and makes room for so many.
  void clear(std::size_t expected);
  void add(Fingerprint entry);
  void add_script(util::ByteView script) {
    lengths_ |= length_bit(script);
    add(of_script(script));
  }
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
  /// Lets memory bring what contains_any() will look at.
  void expect(Fingerprint entry) const { __builtin_prefetch(&sieve_[sieve_word(entry)], 0, 2); }
  /// True if contains() is true of any; with a large table much quicker than one after the other.
  [[nodiscard]] bool contains_any(std::span<const Fingerprint> entries) const;

  /// That of none if no script of its length was added: most that are on the chain need no second look.
  [[nodiscard]] Fingerprint of_script(util::ByteView script) const {
    return (lengths_ & length_bit(script)) == 0 ? kNone : of_any_script(script);
  }
  /// Of a script of any length, for tables other than this one.
  [[nodiscard]] Fingerprint of_any_script(util::ByteView script) const {
    const bool usual = script.size() >= kWord && script.size() <= 2 * kWord;
    return usual ? of_ends(script, start_of(script)) : of_other_script(script);
  }
  /// `outpoint`: its wire form. Of the txid 28 bytes count: no two have the same.
  [[nodiscard]] Fingerprint of_outpoint(util::ByteView outpoint) const { return of_ends(outpoint, keys_[4]); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kWord = 16;  // bytes that are folded at once

  [[nodiscard]] std::uint64_t start_of(util::ByteView script) const { return keys_[0] + script.size() * keys_[3]; }
  /// One bit a length, the last for all that are longer.
  static std::uint64_t length_bit(util::ByteView script) {
    return std::uint64_t{1} << std::min<std::size_t>(script.size(), 63);
  }

  // 64 by 64 bits, both halves of the product folded together: every bit of the result depends on all of both.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }
  static std::uint64_t word_at(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }
  /// Of the first and the last word of at least one, which may overlap.
  [[nodiscard]] Fingerprint of_ends(util::ByteView bytes, std::uint64_t state) const {
    const std::uint8_t* const head = bytes.data();
    const std::uint8_t* const tail = bytes.data() + bytes.size() - kWord;
    const std::uint64_t first = fold(word_at(head) ^ state, word_at(head + 8) ^ keys_[1]);
    const std::uint64_t last = fold(word_at(tail) ^ state, word_at(tail + 8) ^ keys_[2]);
    const std::uint64_t both = fold(first ^ keys_[3], last ^ state);
    return both == kNone ? 1 : both;
  }
  /// Of one shorter than a word or longer than two.
  [[nodiscard]] Fingerprint of_other_script(util::ByteView script) const;
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

  std::array<std::uint64_t, 5> keys_{};
  std::vector<Fingerprint> slots_;  // a power of two, at most half of them used; zero: free
  // Asked first: a sixteenth of the table's size, so that it stays in the processor's cache when the table does not.
  std::vector<std::uint64_t> sieve_;
  std::uint64_t lengths_ = 0;  // of the scripts in the set
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace spv::sync
