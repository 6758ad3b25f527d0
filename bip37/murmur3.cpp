#include "bip37/murmur3.h"

#include <span>

#include "bip37/murmur3_rounds.h"

namespace spv::bip37 {
using murmur::add_word;
using murmur::finish;
using murmur::load_word;
using murmur::mix_tail;
using murmur::mix_word;

std::uint32_t murmur3(std::uint32_t seed, util::ByteView data) { return murmur::hash(seed, data); }

MurmurElement::MurmurElement(util::ByteView data) : data_(data), words_(data.size() / 4) {
  prepared_ = words_ <= kMaxWords;
  if (!prepared_) return;
  for (std::size_t i = 0; i < words_; ++i) mixed_[i] = mix_word(load_word(&data[4 * i]));
  tail_ = mix_tail(data);
}

std::array<std::uint32_t, MurmurElement::kLanes> MurmurElement::hashes(std::uint32_t seed, std::uint32_t step) const {
  // Four variables, not an array: they stay in registers.
  std::uint32_t a = seed;
  std::uint32_t b = a + step;
  std::uint32_t c = b + step;
  std::uint32_t d = c + step;
  if (!prepared_) return {murmur3(a, data_), murmur3(b, data_), murmur3(c, data_), murmur3(d, data_)};
  for (const std::uint32_t mixed : std::span(mixed_).first(words_)) {
    a = add_word(a, mixed);
    b = add_word(b, mixed);
    c = add_word(c, mixed);
    d = add_word(d, mixed);
  }
  const std::size_t size = data_.size();
  return {finish(a, tail_, size), finish(b, tail_, size), finish(c, tail_, size), finish(d, tail_, size)};
}

}  // namespace spv::bip37
