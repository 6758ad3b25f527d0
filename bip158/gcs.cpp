#include "bip158/gcs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "util/codec.h"
#include "util/ensure.h"

namespace spv::bip158 {
namespace {

using detail::load_word;

/// The most that fits into a byte's bits and one word from any bit on.
constexpr unsigned kWindowBits = 57;

/// Reads from the highest bit of a byte to the lowest. Behind the end are zeros: overrun() tells, once, at the end.
class BitReader {
 public:
  explicit BitReader(util::ByteView bytes) : bytes_(bytes) {}

  std::uint64_t golomb_rice() {
    const std::uint64_t window = peek();
    const auto ones = static_cast<unsigned>(std::countl_one(window));
    if (ones + 1 + kP > kWindowBits) [[unlikely]] {
      return long_golomb_rice();
    }
    at_ += ones + 1 + kP;
    return (std::uint64_t{ones} << kP) | ((window << (ones + 1)) >> (64U - kP));
  }
  [[nodiscard]] bool overrun() const { return at_ > bytes_.size() * 8; }
  [[nodiscard]] std::size_t whole_bytes_left() const { return bytes_.size() - (at_ + 7) / 8; }
  [[nodiscard]] bool padding_is_zero() const {
    return at_ % 8 == 0 || static_cast<std::uint8_t>(bytes_[at_ / 8] << (at_ % 8)) == 0;
  }

 private:
  /// The next 57 bits or more, at the top.
  [[nodiscard]] std::uint64_t peek() const {
    const std::size_t byte = at_ / 8;
    if (byte + 8 <= bytes_.size()) [[likely]] {
      return __builtin_bswap64(load_word(bytes_.data() + byte)) << (at_ % 8);
    }
    std::uint64_t word = 0;
    for (std::size_t i = byte; i < bytes_.size(); ++i) word |= std::uint64_t{bytes_[i]} << (56U - 8U * (i - byte));
    return word << (at_ % 8);
  }
  // No honest filter has such a run, so it does not need to be quick; a word's bits at a time are.
  std::uint64_t long_golomb_rice() {
    std::uint64_t ones = 0;
    unsigned run = 0;
    do {
      run = std::min<unsigned>(static_cast<unsigned>(std::countl_one(peek())), kWindowBits);
      ones += run;
      at_ += run;
    } while (run == kWindowBits);
    ++at_;
    const std::uint64_t rest = peek() >> (64U - kP);
    at_ += kP;
    return (ones << kP) | rest;
  }

  util::ByteView bytes_;
  std::size_t at_ = 0;
};

/// Decodes the whole filter into sorted values; gives its count of elements.
util::Expected<std::size_t, GcsError> decode(util::ByteView filter, std::vector<std::uint64_t>& values) {
  util::Reader in(filter);
  const std::uint64_t count = in.compact_size();
  if (!in.ok()) return util::Unexpected{GcsError::BadCount};
  const util::ByteView coded = in.rest();
  if (count > coded.size() * 8 / (kP + 1)) return util::Unexpected{GcsError::Truncated};
  values.resize(count);
  BitReader bits(coded);
  std::uint64_t value = 0;
  for (auto& out : values) {
    value += bits.golomb_rice();
    out = value;
  }
  if (bits.overrun()) return util::Unexpected{GcsError::Truncated};
  if (bits.whole_bytes_left() > 0) return util::Unexpected{GcsError::TrailingBytes};
  if (!bits.padding_is_zero()) return util::Unexpected{GcsError::NonZeroPadding};
  if (count > 0 && value >= count * kM) return util::Unexpected{GcsError::OutOfRange};
  return count;
}

/// What a decoded filter holds. The marks answer most questions without a search, from the nearest cache.
class Lookup {
 public:
  explicit Lookup(Scratch& scratch) : values_(scratch.values), marks_(scratch.marks) {
    constexpr std::size_t kMarksEach = 8;
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(values_.size() * kMarksEach, 64));
    const auto range_bits = static_cast<unsigned>(std::bit_width(values_.size() * kM));
    const auto mark_bits = static_cast<unsigned>(std::countr_zero(size));
    shift_ = range_bits > mark_bits ? range_bits - mark_bits : 0;
    marks_.assign(size / 64, 0);
    for (const auto value : values_) marks_[value >> shift_ >> 6U] |= std::uint64_t{1} << ((value >> shift_) & 63U);
  }

  [[nodiscard]] std::uint64_t element(std::uint64_t hash) const { return to_range(hash, values_.size()); }
  [[nodiscard]] bool is_marked(std::uint64_t element) const {
    return ((marks_[element >> shift_ >> 6U] >> ((element >> shift_) & 63U)) & 1U) != 0;
  }
  [[nodiscard]] bool holds(std::uint64_t element) const {
    return is_marked(element) && std::ranges::binary_search(values_, element);
  }

 private:
  const std::vector<std::uint64_t>& values_;
  std::vector<std::uint64_t>& marks_;
  unsigned shift_ = 0;
};

/// Hashes in batches, apart from the lookups: a wrong guess there does not throw away the next hashes.
constexpr std::size_t kBatch = 64;

template <std::size_t Length>
void hash_batch(const Key& key, const std::uint8_t* scripts, std::size_t count, std::uint64_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = siphash_of<Length>(key, scripts + i * Length);
}

/// Calls on_match(index) for each match until it gives true; gives that.
template <std::size_t Place, typename OnMatch>
bool match_usual(const Key& key, const ScriptSet& scripts, const Lookup& lookup, std::size_t base, OnMatch& on_match) {
  constexpr std::size_t kLength = ScriptSet::kLengths[Place];
  const util::ByteView bytes = scripts.of_usual_length(Place);
  const std::size_t count = bytes.size() / kLength;
  std::array<std::uint64_t, kBatch> hashes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t first = 0; first < count; first += kBatch) {
    const std::size_t size = std::min(kBatch, count - first);
    hash_batch<kLength>(key, bytes.data() + first * kLength, size, hashes.data());
    for (std::size_t i = 0; i < size; ++i) {
      if (lookup.holds(lookup.element(hashes[i])) && on_match(base + first + i)) return true;
    }
  }
  return false;
}

template <std::size_t Place, typename OnMatch>
bool match_from(const Key& key, const ScriptSet& scripts, const Lookup& lookup, std::size_t base, OnMatch& on_match) {
  if constexpr (Place == ScriptSet::kLengths.size()) {
    for (std::size_t i = 0; i < scripts.others(); ++i) {
      if (lookup.holds(lookup.element(siphash(key, scripts.other(i)))) && on_match(base + i)) return true;
    }
    return false;
  } else {
    if (match_usual<Place>(key, scripts, lookup, base, on_match)) return true;
    const std::size_t count = scripts.of_usual_length(Place).size() / ScriptSet::kLengths[Place];
    return match_from<Place + 1>(key, scripts, lookup, base + count, on_match);
  }
}

template <typename OnMatch>
util::Expected<bool, GcsError> match(util::ByteView filter, const chain::BlockHash& block, const ScriptSet& scripts,
                                     Scratch& scratch, OnMatch on_match) {
  const auto count = decode(filter, scratch.values);
  if (!count) return util::Unexpected{count.error()};
  if (*count == 0 || scripts.empty()) return false;
  const Lookup lookup(scratch);
  return match_from<0>(Key::of(block), scripts, lookup, 0, on_match);
}

class BitWriter {
 public:
  explicit BitWriter(util::Writer& out) : out_(out) {}

  void golomb_rice(std::uint64_t value) {
    for (std::uint64_t ones = value >> kP; ones > 0; --ones) bit(true);
    bit(false);
    for (unsigned i = kP; i-- > 0;) bit(((value >> i) & 1U) != 0);
  }
  void finish() {
    while (used_ != 0) bit(false);
  }

 private:
  void bit(bool set) {
    byte_ = static_cast<std::uint8_t>((unsigned{byte_} << 1U) | (set ? 1U : 0U));
    if (++used_ < 8) return;
    out_.integer(byte_);
    used_ = 0;
  }

  util::Writer& out_;
  std::uint8_t byte_ = 0;
  unsigned used_ = 0;
};

}  // namespace

std::string_view to_string(GcsError error) {
  switch (error) {
    case GcsError::BadCount:
      return "the count of elements cannot be read";
    case GcsError::Truncated:
      return "fewer bytes than the elements take";
    case GcsError::OutOfRange:
      return "an element is out of range";
    case GcsError::TrailingBytes:
      return "bytes left behind the last element";
    case GcsError::NonZeroPadding:
      return "padding is not zero";
  }
  return "unknown filter error";
}

util::Expected<bool, GcsError> match_any(util::ByteView filter, const chain::BlockHash& block, const ScriptSet& scripts,
                                         Scratch& scratch) {
  return match(filter, block, scripts, scratch, [](std::size_t /*index*/) { return true; });
}

util::Expected<std::vector<std::size_t>, GcsError> match_all(util::ByteView filter, const chain::BlockHash& block,
                                                             const ScriptSet& scripts, Scratch& scratch) {
  std::vector<std::size_t> indexes;
  const auto matched = match(filter, block, scripts, scratch, [&](std::size_t index) {
    indexes.push_back(index);
    return false;
  });
  if (!matched) return util::Unexpected{matched.error()};
  return indexes;
}

util::Expected<std::size_t, GcsError> validate(util::ByteView filter, Scratch& scratch) {
  return decode(filter, scratch.values);
}

util::Bytes encode_gcs(const std::vector<std::uint64_t>& values) {
  util::Writer out;
  out.compact_size(values.size());
  BitWriter bits(out);
  std::uint64_t last = 0;
  for (const auto value : values) {
    util::ensure(value >= last, "the elements of a filter are sorted");
    bits.golomb_rice(value - last);
    last = value;
  }
  bits.finish();
  return out.take();
}

}  // namespace spv::bip158
