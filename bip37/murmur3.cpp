#include "bip37/murmur3.h"

#include <bit>
#include <span>

namespace spv::bip37 {
namespace {

std::uint32_t mix_word(std::uint32_t word) { return std::rotl(word * 0xCC9E'2D51U, 15) * 0x1B87'3593U; }

std::uint32_t add_word(std::uint32_t hash, std::uint32_t mixed) {
  return std::rotl(hash ^ mixed, 13) * 5U + 0xE654'6B64U;
}

std::uint32_t finish(std::uint32_t hash, std::uint32_t mixed_tail, std::size_t size) {
  hash ^= mixed_tail;
  hash ^= static_cast<std::uint32_t>(size);
  hash = (hash ^ (hash >> 16U)) * 0x85EB'CA6BU;
  hash = (hash ^ (hash >> 13U)) * 0xC2B2'AE35U;
  return hash ^ (hash >> 16U);
}

std::uint32_t load_word(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | (std::uint32_t{bytes[1]} << 8U) | (std::uint32_t{bytes[2]} << 16U) |
         (std::uint32_t{bytes[3]} << 24U);
}

// The up to three bytes behind the last whole word; mixing leaves an empty tail at zero.
std::uint32_t mix_tail(util::ByteView data) {
  const std::size_t whole = data.size() / 4 * 4;
  std::uint32_t tail = 0;
  for (std::size_t i = whole; i < data.size(); ++i) tail |= std::uint32_t{data[i]} << (8U * (i - whole));
  return mix_word(tail);
}

}  // namespace

std::uint32_t murmur3(std::uint32_t seed, util::ByteView data) {
  std::uint32_t hash = seed;
  for (std::size_t i = 0; i + 4 <= data.size(); i += 4) hash = add_word(hash, mix_word(load_word(&data[i])));
  return finish(hash, mix_tail(data), data.size());
}

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
