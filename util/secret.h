// Memory for secrets: wiped when it goes, never printed, and kept out of the swap where the program has set up
// OpenSSL's secure heap (CRYPTO_secure_malloc_init). See docs/security.md, K6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <openssl/crypto.h>

#include "util/bytes.h"

namespace spv::util {

/// An allocator that wipes what it frees, growth of a vector included. It takes from the secure heap while that lasts.
template <typename T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <typename U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators must
  T* allocate(std::size_t n) {
    const bool has_heap = CRYPTO_secure_malloc_initialized() != 0;
    if (void* block = has_heap ? OPENSSL_secure_malloc(n * sizeof(T)) : nullptr) return static_cast<T*>(block);
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    if (CRYPTO_secure_allocated(p) != 0) return OPENSSL_secure_clear_free(p, n * sizeof(T));
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
