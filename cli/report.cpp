#include "cli/report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/text.h"

namespace spv::cli {

std::string to_btc(chain::Amount amount) {
  const char* sign = amount < 0 ? "-" : "";
  const auto magnitude = static_cast<std::uint64_t>(amount < 0 ? -amount : amount);
  constexpr auto kUnit = static_cast<std::uint64_t>(chain::kCoin);
  return fmt::format("{}{}.{:08}", sign, magnitude / kUnit, magnitude % kUnit);
}

std::string local_time(util::UnixTime time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return "?";
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return {text, size};
}

void print_json(const boost::json::value& document) { print_line(to_utf8(boost::json::serialize(document))); }

void print_line(const std::string& line) { fmt::print("{}\n", line); }

void Table::print() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const auto& column : columns_) widths.push_back(column.title.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto print_row = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += columns_[i].right ? fmt::format("{:>{}}", cell_at(i), widths[i])
                                : fmt::format("{:<{}}", cell_at(i), widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    print_line(line);
  };
  const bool titled = std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return !c.title.empty(); });
  if (titled) print_row([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) print_row([&](std::size_t i) { return row[i]; });
}

boost::json::object to_json(const wallet::Balance& balance) {
  return {{"confirmed_sat", balance.confirmed},
          {"unconfirmed_sat", balance.unconfirmed},
          {"immature_sat", balance.immature},
          {"total_sat", balance.total()}};
}

}  // namespace spv::cli
