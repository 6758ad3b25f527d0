#include "bip37/bloom_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bip37/murmur3.h"
#include "bip37/murmur3_rounds.h"
#include "util/ensure.h"

namespace spv::bip37 {
namespace {

constexpr double kLn2 = 0.6931471805599453094172321214581765680755001343602552;
constexpr double kLn2Squared = 0.4804530139182014246671025263266649717305529515945455;
constexpr std::size_t kMaxFilterBits = kMaxFilterBytes * 8;
constexpr std::uint32_t kSeedStep = 0xFBA4'C795;  // BIP37: seed i = i * this + tweak

__extension__ using Wide = unsigned __int128;

// value mod bits, exact for all 32-bit values (Lemire, Kaser, Kurz 2019); reciprocal = 2^64 / bits rounded up.
std::uint32_t fast_mod(std::uint32_t value, std::uint64_t reciprocal, std::uint32_t bits) {
  const std::uint64_t fraction = reciprocal * value;
  return static_cast<std::uint32_t>((static_cast<Wide>(fraction) * bits) >> 64U);
}

// Calls `use(byte, mask)` for each bit of the element from function `first` on, until it returns false; false if it
// did.
template <typename Use>
bool for_each_bit(util::ByteView element, std::uint32_t first, std::uint32_t hash_funcs, std::uint32_t tweak,
                  std::uint64_t reciprocal, std::size_t bytes, Use&& use) {
  const MurmurElement hasher(element);
  const auto bits = static_cast<std::uint32_t>(bytes * 8);
  for (std::uint32_t i = first; i < hash_funcs; i += MurmurElement::kLanes) {
    const auto hashes = hasher.hashes(i * kSeedStep + tweak, kSeedStep);
    const std::uint32_t lanes = std::min(MurmurElement::kLanes, hash_funcs - i);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t index = fast_mod(hashes[lane], reciprocal, bits);
      if (!use(index >> 3U, static_cast<std::uint8_t>(1U << (index & 7U)))) return false;
    }
  }
  return true;
}

}  // namespace

FilterShape design_filter(std::size_t elements, double fp_rate) {
  const auto count = std::max<std::size_t>(elements, 1);
  // m = -n·ln p / ln²2, in Core's order of operations so that the truncation falls alike.
  const double wanted_bits = -1 / kLn2Squared * static_cast<double>(count) * std::log(std::max(fp_rate, 0.0));
  const bool too_large = !(wanted_bits <= static_cast<double>(kMaxFilterBits));
  const std::size_t bits = too_large ? kMaxFilterBits : static_cast<std::size_t>(std::max(wanted_bits, 0.0));
  FilterShape shape;
  shape.bytes = std::max<std::size_t>(bits / 8, 1);
  // k = m/n·ln 2; Core divides the integers first.
  const std::size_t bits_per_element = shape.bytes * 8 / count;
  const auto wanted_funcs = static_cast<std::size_t>(static_cast<double>(bits_per_element) * kLn2);
  shape.hash_funcs = static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted_funcs, 1, kMaxHashFunctions));
  shape.capped = too_large || wanted_funcs > kMaxHashFunctions;
  return shape;
}

double expected_fp_rate(const FilterShape& shape, std::size_t elements) {
  const double bits = static_cast<double>(shape.bytes) * 8;
  const double fill = 1 - std::exp(-static_cast<double>(shape.hash_funcs) * static_cast<double>(elements) / bits);
  return std::pow(fill, shape.hash_funcs);
}

double overfilled_fp_rate(std::uint32_t hash_funcs, double load) {
  // At the best k = m/n·ln 2 the planned count leaves half of the bits clear, t times the count leaves 0.5^t.
  return std::pow(1 - std::pow(0.5, load), hash_funcs);
}

std::string_view to_string(FilterError error) {
  switch (error) {
    case FilterError::Malformed:
      return "malformed filter";
    case FilterError::TooLarge:
      return "filter larger than 36,000 bytes";
    case FilterError::TooManyHashFunctions:
      return "filter with more than 50 hash functions";
  }
  return "unknown filter error";
}

BloomFilter::BloomFilter(const FilterShape& shape, std::uint32_t tweak, UpdateFlags flags)
    : hash_funcs_(shape.hash_funcs), tweak_(tweak), flags_(flags) {
  util::ensure(shape.bytes >= 1 && shape.bytes <= kMaxFilterBytes, "filter size out of range");
  util::ensure(shape.hash_funcs >= 1 && shape.hash_funcs <= kMaxHashFunctions, "hash function count out of range");
  set_bits(util::Bytes(shape.bytes));
}

void BloomFilter::set_bits(util::Bytes bits) {
  bits_ = std::move(bits);
  ones_ = 0;
  for (const std::uint8_t byte : bits_) ones_ += static_cast<std::size_t>(std::popcount(byte));
  reciprocal_ = bits_.empty() ? 0 : std::numeric_limits<std::uint64_t>::max() / (bits_.size() * 8) + 1;
}

void BloomFilter::insert(util::ByteView element) {
  if (bits_.empty()) return;
  for_each_bit(element, 0, hash_funcs_, tweak_, reciprocal_, bits_.size(), [this](std::size_t byte, std::uint8_t mask) {
    ones_ += (bits_[byte] & mask) == 0 ? 1U : 0U;
    bits_[byte] = static_cast<std::uint8_t>(bits_[byte] | mask);
    return true;
  });
}

bool BloomFilter::has_bit(util::ByteView element, std::uint32_t seed) const {
  const auto bits = static_cast<std::uint32_t>(bits_.size() * 8);
  const std::uint32_t index = fast_mod(murmur::hash_element(seed, element), reciprocal_, bits);
  return (bits_[index >> 3U] & (1U << (index & 7U))) != 0;
}

// Most elements fail at one of the first functions: these are asked one by one before the element is prepared for the
// others. Three functions, not inlined into each other, so that an early miss does not pay for the frames of the later.
bool BloomFilter::contains(util::ByteView element) const {
  if (bits_.empty() || hash_funcs_ == 0) return true;
  return has_bit(element, tweak_) && contains_further(element);
}

[[gnu::noinline]] bool BloomFilter::contains_further(util::ByteView element) const {
  if (hash_funcs_ == 1) return true;
  return has_bit(element, tweak_ + kSeedStep) && contains_prepared(element);
}

[[gnu::noinline]] bool BloomFilter::contains_prepared(util::ByteView element) const {
  constexpr std::uint32_t kAsked = 2;
  return for_each_bit(element, kAsked, hash_funcs_, tweak_, reciprocal_, bits_.size(),
                      [this](std::size_t byte, std::uint8_t mask) { return (bits_[byte] & mask) != 0; });
}

double BloomFilter::fill_ratio() const {
  if (bits_.empty()) return 1;
  return static_cast<double>(ones_) / static_cast<double>(bits_.size() * 8);
}

double BloomFilter::fp_rate() const { return std::pow(fill_ratio(), hash_funcs_); }

double BloomFilter::estimated_elements() const {
  const double fill = fill_ratio();
  if (fill >= 1 || hash_funcs_ == 0) return std::numeric_limits<double>::infinity();
  return -static_cast<double>(bits_.size() * 8) / hash_funcs_ * std::log1p(-fill);
}

std::optional<BloomFilter> BloomFilter::union_of(const BloomFilter& a, const BloomFilter& b) {
  if (!a.same_shape(b)) return std::nullopt;
  BloomFilter out = a;
  util::Bytes bits = a.bits_;
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(bits[i] | b.bits_[i]);
  out.set_bits(std::move(bits));
  return out;
}

std::optional<BloomFilter> BloomFilter::intersection_of(const BloomFilter& a, const BloomFilter& b) {
  if (!a.same_shape(b)) return std::nullopt;
  BloomFilter out = a;
  util::Bytes bits = a.bits_;
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(bits[i] & b.bits_[i]);
  out.set_bits(std::move(bits));
  return out;
}

bool BloomFilter::same_shape(const BloomFilter& other) const {
  return bits_.size() == other.bits_.size() && hash_funcs_ == other.hash_funcs_ && tweak_ == other.tweak_;
}

void BloomFilter::encode(util::Writer& out) const {
  out.var_bytes(bits_).integer(hash_funcs_).integer(tweak_).integer(static_cast<std::uint8_t>(flags_));
}

util::Expected<BloomFilter, FilterError> BloomFilter::parse(util::ByteView payload) {
  util::Reader in(payload);
  const std::uint64_t size = in.compact_size();
  if (in.ok() && size > kMaxFilterBytes) return util::Unexpected{FilterError::TooLarge};
  BloomFilter filter;
  filter.set_bits(util::to_bytes(in.view(static_cast<std::size_t>(size))));
  filter.hash_funcs_ = in.integer<std::uint32_t>();
  filter.tweak_ = in.integer<std::uint32_t>();
  const auto flags = in.integer<std::uint8_t>();
  if (!in.done() || flags > static_cast<std::uint8_t>(UpdateFlags::P2PubkeyOnly)) {
    return util::Unexpected{FilterError::Malformed};
  }
  if (filter.hash_funcs_ > kMaxHashFunctions) return util::Unexpected{FilterError::TooManyHashFunctions};
  filter.flags_ = static_cast<UpdateFlags>(flags);
  return filter;
}

}  // namespace spv::bip37
