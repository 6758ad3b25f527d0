#include "wallet/word_suggestion.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spv::wallet {
namespace {

constexpr std::size_t kMaxLength = 16;
constexpr std::size_t kMaxSuggestions = 3;
constexpr std::size_t kMaxDistance = 2;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment: how many letters to add, leave out, change or swap with the next.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kMaxLength + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = small(a[i - 1]) == small(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) && small(a[i - 2]) == small(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string_view> suggestions(std::string_view word, std::span<const std::string_view> list) {
  std::vector<std::string_view> out;
  if (word.size() < 2 || word.size() > kMaxLength) return out;
  // Two wrong letters of three or four leave nothing to go by.
  std::size_t best = word.size() <= 4 ? 1 : kMaxDistance;
  for (const auto candidate : list) {
    if (candidate.size() > kMaxLength) continue;
    const std::size_t far = edit_distance(word, candidate);
    if (far > best) continue;
    if (far < best) out.clear();
    best = far;
    if (out.size() < kMaxSuggestions) out.push_back(candidate);
  }
  return out;
}

}  // namespace spv::wallet
