#include "cli/output/table.h"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/report.h"
#include "cli/output/terminal.h"

namespace spv::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastDigits = 8;
/// Of a column that is not shown; no shown one is empty.
constexpr std::size_t kDropped = 0;

// ":1" of an outpoint
std::string tail_of(const std::string& cell) {
  const auto colon = cell.find(':');
  return colon == std::string::npos ? std::string() : cell.substr(colon);
}

std::string shortened(const std::string& cell, std::size_t width) {
  if (cell.size() <= width) return cell;
  const auto tail = tail_of(cell);
  return cell.substr(0, width - tail.size()) + tail;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const auto width : widths) {
    if (width != kDropped) sum += (sum == 0 ? 0 : kGap) + width;
  }
  return sum;
}

}  // namespace

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const auto& column : columns_) widths.push_back(std::max<std::size_t>(column.title.size(), 1));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

void Table::shorten_column(std::size_t width, std::vector<std::size_t>& widths) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t sum = total(widths);
    if (columns_[i].narrow != Narrow::Shorten || sum <= width) continue;
    std::size_t least = columns_[i].title.size();
    for (const auto& row : rows_) least = std::max(least, kLeastDigits + tail_of(row[i]).size());
    const std::size_t excess = sum - width;
    widths[i] = std::min(widths[i], widths[i] > least + excess ? widths[i] - excess : least);
  }
}

void Table::drop_columns(std::size_t width, std::vector<std::size_t>& widths) const {
  for (std::size_t i = columns_.size(); i-- > 0;) {
    if (columns_[i].narrow != Narrow::Drop) continue;
    auto fitted = widths;
    shorten_column(width, fitted);
    if (total(fitted) <= width) return;
    widths[i] = kDropped;
  }
}

Table Table::with(Column column, const std::vector<std::string>& cells) const {
  Table out = *this;
  out.columns_.push_back(std::move(column));
  for (std::size_t i = 0; i < out.rows_.size(); ++i) out.rows_[i].push_back(cells.at(i));
  return out;
}

std::vector<std::string> Table::lines(std::optional<std::size_t> width) const {
  auto widths = natural_widths();
  if (width) {
    drop_columns(*width, widths);
    shorten_column(*width, widths);
  }
  const auto line_of = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == kDropped) continue;
      if (!line.empty()) line += std::string(kGap, ' ');
      const std::string cell = shortened(cell_at(i), widths[i]);
      line += columns_[i].right ? fmt::format("{:>{}}", cell, widths[i]) : fmt::format("{:<{}}", cell, widths[i]);
    }
    return line.erase(line.find_last_not_of(' ') + 1);
  };
  std::vector<std::string> out;
  const bool titled = std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return !c.title.empty(); });
  if (titled) out.push_back(line_of([&](std::size_t i) { return columns_[i].title; }));
  for (const auto& row : rows_) out.push_back(line_of([&](std::size_t i) { return row[i]; }));
  return out;
}

void Table::print() const {
  for (const auto& line : lines(terminal_width(STDOUT_FILENO))) print_line(line);
}

}  // namespace spv::cli
