#include "sync/watch/watch_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace spv::sync {
namespace {

constexpr std::size_t kLeastSlots = 64;
/// Enough for memory to answer the first while the last are asked for.
constexpr std::size_t kLookedUpAtOnce = 128;

}  // namespace

WatchSet::WatchSet(util::Rng rng) {
  for (auto& key : keys_) key = rng.next() | 1U;
  clear(0);
}

void WatchSet::clear(std::size_t expected) {
  resize(std::bit_ceil(std::max(2 * expected, kLeastSlots)));
  lengths_ = 0;
}

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

WatchSet::Fingerprint WatchSet::of_other_script(util::ByteView script) const {
  std::uint64_t state = start_of(script);
  while (script.size() > kWord) {
    state = fold(word_at(script.data()) ^ state, word_at(script.data() + kWord / 2) ^ keys_[1]);
    script = script.subspan(kWord);
  }
  std::array<std::uint8_t, kWord> rest{};
  std::copy(script.begin(), script.end(), rest.begin());
  return of_ends(rest, state);
}

}  // namespace spv::sync
