#include "cli/output/amount.h"

#include <cstdint>

#include <fmt/format.h>

namespace spv::cli {
namespace {

struct UnitShape {
  std::string_view name;
  std::uint64_t satoshis;
  int decimals;
};

UnitShape shape_of(AmountUnit unit) {
  switch (unit) {
    case AmountUnit::Btc:
      break;
    case AmountUnit::Mbtc:
      return {"mBTC", 100'000, 5};
    case AmountUnit::Sat:
      return {"sat", 1, 0};
  }
  return {"BTC", 100'000'000, 8};
}

}  // namespace

std::string_view unit_name(AmountUnit unit) { return shape_of(unit).name; }

std::string amount_text(chain::Amount amount, AmountUnit unit) {
  const auto [name, satoshis, decimals] = shape_of(unit);
  const auto bits = static_cast<std::uint64_t>(amount);
  const std::uint64_t magnitude = amount < 0 ? 0 - bits : bits;  // of the least number too, which has no negative
  std::string text = fmt::format("{}{}", amount < 0 ? "-" : "", magnitude / satoshis);
  if (decimals > 0) text += fmt::format(".{:0{}}", magnitude % satoshis, decimals);
  return text;
}

std::string change_text(chain::Amount amount, AmountUnit unit) {
  return (amount < 0 ? "" : "+") + amount_with_unit(amount, unit);
}

std::string amount_with_unit(chain::Amount amount, AmountUnit unit) {
  return fmt::format("{} {}", amount_text(amount, unit), unit_name(unit));
}

}  // namespace spv::cli
