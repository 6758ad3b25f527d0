// The bloom filter of BIP37, byte-exact with Bitcoin Core's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "util/bytes.h"
#include "util/codec.h"
#include "util/expected.h"

namespace spv::bip37 {

/// BIP37: a filter beyond these limits makes the node drop us.
inline constexpr std::size_t kMaxFilterBytes = 36'000;
inline constexpr std::uint32_t kMaxHashFunctions = 50;
/// BIP37: the largest element of a filteradd.
inline constexpr std::size_t kMaxElementBytes = 520;

/// What a node inserts by itself when an output matches.
enum class UpdateFlags : std::uint8_t { None = 0, All = 1, P2PubkeyOnly = 2 };

/// Size and hash count of a filter.
struct FilterShape {
  std::size_t bytes = 1;
  std::uint32_t hash_funcs = 1;
  bool capped = false;  // the caps of BIP37 keep it from reaching the rate
  friend bool operator==(const FilterShape&, const FilterShape&) = default;
};
/// The shape for `elements` at `fp_rate`, by Core's rules with its truncations and caps. Where Core's arithmetic ends
/// at no bytes or no functions (no element, a rate near 1) it would match everything; here it is one of each.
FilterShape design_filter(std::size_t elements, double fp_rate);
/// f = (1 - e^(-k·n/m))^k: the rate of a filter of this shape that holds `elements`.
double expected_fp_rate(const FilterShape& shape, std::size_t elements);
/// f = (1 - 0.5^t)^k: the same for a filter of the best size for its plan, holding `load` (t) times the planned count.
double overfilled_fp_rate(std::uint32_t hash_funcs, double load);

/// Why a filterload payload is refused.
enum class FilterError { Malformed, TooLarge, TooManyHashFunctions };
std::string_view to_string(FilterError error);

/// A set of byte strings that may say yes to what is not in it, never no to what is.
class BloomFilter {
 public:
  /// An empty filter; the shape must be within the limits of BIP37 and have a byte at least.
  BloomFilter(const FilterShape& shape, std::uint32_t tweak, UpdateFlags flags);

  /// Sets the element's bits; nothing happens to a filter of no bytes.
  void insert(util::ByteView element);
  /// True if all of the element's bits are set; always so, as on Core, with no bytes or no functions.
  [[nodiscard]] bool contains(util::ByteView element) const;

  [[nodiscard]] util::ByteView bits() const { return bits_; }
  [[nodiscard]] std::uint32_t hash_funcs() const { return hash_funcs_; }
  [[nodiscard]] std::uint32_t tweak() const { return tweak_; }
  [[nodiscard]] UpdateFlags flags() const { return flags_; }
  /// Share of bits that are set.
  [[nodiscard]] double fill_ratio() const;
  /// The rate that the bits as they are now give: fill^k.
  [[nodiscard]] double fp_rate() const;
  /// How many elements the fill suggests: -m/k · ln(1 - fill). Infinite if every bit is set.
  [[nodiscard]] double estimated_elements() const;

  /// The payload of `filterload`.
  void encode(util::Writer& out) const;
  /// Takes what a node takes: up to 36,000 bytes and 50 functions, so also none of either, which match everything.
  /// Stricter than a node only with flags that BIP37 does not name and bytes behind the end: Malformed.
  static util::Expected<BloomFilter, FilterError> parse(util::ByteView payload);
  friend bool operator==(const BloomFilter&, const BloomFilter&) = default;
  /// Holds what either holds, exactly as if all had been inserted into one; none if size, functions or tweak differ.
  /// The flags are those of `a`.
  static std::optional<BloomFilter> union_of(const BloomFilter& a, const BloomFilter& b);
  /// Holds what both hold, and may match a little more than a filter of just that; none as above.
  static std::optional<BloomFilter> intersection_of(const BloomFilter& a, const BloomFilter& b);

 private:
  BloomFilter() = default;
  void set_bits(util::Bytes bits);
  [[nodiscard]] bool has_bit(util::ByteView element, std::uint32_t seed) const;
  [[nodiscard]] bool contains_further(util::ByteView element) const;
  [[nodiscard]] bool contains_prepared(util::ByteView element) const;
  [[nodiscard]] bool same_shape(const BloomFilter& other) const;

  util::Bytes bits_;
  std::size_t ones_ = 0;          // bits that are set
  std::uint64_t reciprocal_ = 0;  // of the bit count: a modulo without a division
  std::uint32_t hash_funcs_ = 1;
  std::uint32_t tweak_ = 0;
  UpdateFlags flags_ = UpdateFlags::None;
};

}  // namespace spv::bip37
