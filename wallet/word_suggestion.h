// Which words of a list somebody may have meant by a word that is not in it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace spv::wallet {

/// The words nearest to this one by letters added, left out, changed or swapped, two at most; at most three of them, in
/// the order of the list. The case of letters does not count.
std::vector<std::string_view> suggestions(std::string_view word, std::span<const std::string_view> list);

}  // namespace spv::wallet
