// The English word list of BIP39.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace spv::wallet {

inline constexpr std::size_t kMnemonicWordCount = 2048;
/// In alphabetical order; a word's place is its value of eleven bits.
extern const std::array<std::string_view, kMnemonicWordCount> kMnemonicWords;

}  // namespace spv::wallet
