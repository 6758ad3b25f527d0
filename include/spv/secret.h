// Text that must not stay in memory: a mnemonic or a passphrase.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace spv {

/// Wiped on destruction. Can be moved, not copied.
class Secret {
 public:
  Secret() = default;
  /// Copies the text. Wiping the original is up to the caller.
  explicit Secret(std::string_view text) : bytes_(text.begin(), text.end()) {}
  Secret(Secret&&) noexcept = default;
  Secret& operator=(Secret&& other) noexcept {
    wipe();
    bytes_ = std::move(other.bytes_);
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { wipe(); }

  [[nodiscard]] std::string_view text() const { return {bytes_.data(), bytes_.size()}; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  void wipe() {
    volatile char* byte = bytes_.data();
    for (std::size_t i = 0; i < bytes_.size(); ++i) byte[i] = 0;
    bytes_.clear();
  }

  std::vector<char> bytes_;
};

}  // namespace spv
