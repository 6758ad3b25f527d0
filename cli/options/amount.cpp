#include "cli/options/amount.h"

#include <string>

#include "util/number.h"

namespace spv::cli {
namespace {

std::optional<chain::Amount> whole(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return util::parse_number<chain::Amount>(digits);
}

std::optional<chain::Amount> bounded(std::optional<chain::Amount> amount) {
  return amount && *amount <= chain::kMaxMoney ? amount : std::nullopt;
}

}  // namespace

std::optional<chain::Amount> parse_amount(std::string_view text) {
  constexpr std::size_t kDecimals = 8;
  constexpr std::size_t kMostDigits = 10;
  if (text.ends_with("sat")) return bounded(whole(text.substr(0, text.size() - 3)));
  const auto point = text.find('.');
  const auto coins = text.substr(0, point);
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (coins.empty() && fraction.empty()) return std::nullopt;
  if (coins.size() > kMostDigits || fraction.size() > kDecimals) return std::nullopt;
  fraction.resize(kDecimals, '0');
  const auto high = whole(coins.empty() ? "0" : coins);
  const auto low = whole(fraction);
  if (!high || !low || *high > chain::kMaxMoney / chain::kCoin) return std::nullopt;
  return bounded(*high * chain::kCoin + *low);
}

}  // namespace spv::cli
