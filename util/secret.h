// Memory for secrets: wiped when it goes, never printed. See docs/security.md, K6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <openssl/crypto.h>

#include "util/bytes.h"

namespace spv::util {

/// An allocator that wipes what it frees, growth of a vector included.
template <typename T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <typename U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators must
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) {
    OPENSSL_cleanse(p, n * sizeof(T));
    std::allocator<T>().deallocate(p, n);
  }
  friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

using SecretBytes = std::vector<std::uint8_t, WipingAllocator<std::uint8_t>>;

/// A fixed-size secret that wipes itself. (std::string is no home for secrets: short ones live inside it, unwiped.)
template <std::size_t N>
struct SecretArray {
  std::array<std::uint8_t, N> bytes{};
  SecretArray() = default;
  SecretArray(const SecretArray&) = default;
  SecretArray& operator=(const SecretArray&) = default;
  ~SecretArray() { OPENSSL_cleanse(bytes.data(), N); }
  [[nodiscard]] ByteView view() const { return bytes; }
};

}  // namespace spv::util
