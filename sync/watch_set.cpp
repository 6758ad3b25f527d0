#include "sync/watch_set.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace spv::sync {
namespace {

constexpr std::size_t kLeastSlots = 64;
/// Enough for memory to answer the first while the last are asked for.
constexpr std::size_t kLookedUpAtOnce = 128;

// 64 by 64 bits, both halves of the product folded together: every bit of the result depends on all of both.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

WatchSet::WatchSet(util::Rng rng) {
  for (auto& key : keys_) key = rng.next() | 1U;
  clear(0);
}

void WatchSet::clear(std::size_t expected) { resize(std::bit_ceil(std::max(2 * expected, kLeastSlots))); }

void WatchSet::resize(std::size_t slots) {
  slots_.assign(slots, 0);
  sieve_.assign(slots / kSlotsPerWord, 0);
  mask_ = slots - 1;
  size_ = 0;
}

void WatchSet::add(Fingerprint entry) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  std::size_t slot = entry & mask_;
  while (slots_[slot] != 0 && slots_[slot] != entry) slot = (slot + 1) & mask_;
  size_ += slots_[slot] == 0 ? 1U : 0U;
  slots_[slot] = entry;
  sieve_[sieve_word(entry)] |= sieve_bits(entry);
}

void WatchSet::grow() {
  const auto entries = std::exchange(slots_, {});
  resize(2 * entries.size());
  for (const Fingerprint entry : entries) {
    if (entry != 0) add(entry);
  }
}

bool WatchSet::contains_any(std::span<const Fingerprint> entries) const {
  std::array<Fingerprint, kLookedUpAtOnce> passed{};
  while (!entries.empty()) {
    const auto part = entries.first(std::min(entries.size(), kLookedUpAtOnce));
    entries = entries.subspan(part.size());
    for (const Fingerprint entry : part) __builtin_prefetch(&sieve_[sieve_word(entry)]);
    std::size_t count = 0;
    for (const Fingerprint entry : part) {
      passed[count] = entry;  // no branch: whether one passes cannot be predicted
      count += may_contain(entry) ? 1U : 0U;
    }
    const std::span candidates(passed.data(), count);
    for (const Fingerprint entry : candidates) __builtin_prefetch(&slots_[entry & mask_]);
    if (std::any_of(candidates.begin(), candidates.end(), [this](Fingerprint entry) { return contains(entry); }))
      return true;
  }
  return false;
}

WatchSet::Fingerprint WatchSet::of(util::ByteView bytes, std::uint64_t key) const {
  std::array<std::uint8_t, 16> padded{};
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = key ^ (left * keys_[2]);
  for (; left > 16; left -= 16, at += 16) state = fold(word_at(at) ^ keys_[2] ^ state, word_at(at + 8) ^ keys_[3]);
  if (bytes.size() >= 16) {
    at -= 16 - left;  // the last sixteen, whatever of them was read before
  } else {
    if (left > 0) std::memcpy(padded.data(), at, left);
    at = padded.data();
  }
  state = fold(word_at(at) ^ keys_[2] ^ state, word_at(at + 8) ^ keys_[3]);
  state = fold(state ^ keys_[3], key);
  return state == 0 ? 1 : state;
}

}  // namespace spv::sync
