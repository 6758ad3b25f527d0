// Bitcoin's wire encoding: a Writer that appends, a Reader whose failure is sticky.
// A count read from outside is bounded by the bytes that are really there.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::util {

/// Appends little-endian integers, CompactSize and raw bytes to a buffer that it owns.
class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t reserve) { out_.reserve(reserve); }

  template <std::integral T>
  Writer& integer(T value) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      out_.push_back(static_cast<std::uint8_t>(bits & 0xFFU));
      if constexpr (sizeof(T) > 1) bits = static_cast<decltype(bits)>(bits >> 8U);
    }
    return *this;
  }
  Writer& compact_size(std::uint64_t value);
  Writer& bytes(ByteView bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  /// CompactSize length, then the bytes.
  Writer& var_bytes(ByteView bytes) { return compact_size(bytes.size()).bytes(bytes); }
  Writer& var_string(std::string_view text) { return var_bytes(as_bytes(text)); }
  template <typename Tag>
  Writer& hash(const TaggedHash<Tag>& hash) {
    return bytes(hash.view());
  }
  /// Big-endian 16 bits: the port of a network address.
  Writer& big_endian16(std::uint16_t value);

  [[nodiscard]] const Bytes& data() const { return out_; }
  [[nodiscard]] Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

/// Reads in wire order. After the first failure every read gives zero and ok() is false: check once, at the end.
class Reader {
 public:
  explicit Reader(ByteView data) : rest_(data), total_(data.size()) {}

  template <std::integral T>
  T integer() {
    if (rest_.size() < sizeof(T)) return fail(T{});
    std::make_unsigned_t<T> bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bits = static_cast<decltype(bits)>(bits | (static_cast<decltype(bits)>(rest_[i]) << (8U * i)));
    }
    rest_ = rest_.subspan(sizeof(T));
    return static_cast<T>(bits);
  }
  /// A CompactSize in its shortest form; a longer form than needed fails.
  std::uint64_t compact_size();
  /// The count of items that follow, each at least `min_item_size` bytes: fails if they cannot be there.
  std::size_t count(std::size_t min_item_size);
  /// The same, and fails above `limit`.
  std::size_t count(std::size_t min_item_size, std::size_t limit);
  /// The next `size` bytes, without a copy; empty after a failure.
  ByteView view(std::size_t size);
  /// CompactSize length, then that many bytes, at most `limit`; without a copy.
  ByteView var_view(std::size_t limit);
  Bytes var_bytes(std::size_t limit) { return to_bytes(var_view(limit)); }
  std::string var_string(std::size_t limit);
  template <typename Hash = Hash256>
  Hash hash() {
    Hash out;
    const ByteView bytes = view(Hash::kSize);
    if (bytes.size() == Hash::kSize) std::memcpy(out.bytes.data(), bytes.data(), Hash::kSize);
    return out;
  }
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> out{};
    const ByteView bytes = view(N);
    if (bytes.size() == N) std::memcpy(out.data(), bytes.data(), N);
    return out;
  }
  std::uint16_t big_endian16();

  /// Marks the input as bad.
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  /// True if all was read and nothing failed.
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }
  /// Bytes taken so far; meaningless after a failure.
  [[nodiscard]] std::size_t position() const { return total_ - rest_.size(); }
  [[nodiscard]] ByteView rest() const { return rest_; }

 private:
  template <typename T>
  T fail(T value) {
    fail();
    return value;
  }

  ByteView rest_;
  std::size_t total_;
  bool ok_ = true;
};

/// The encoded size of a CompactSize.
std::size_t compact_size_length(std::uint64_t value);

}  // namespace spv::util
