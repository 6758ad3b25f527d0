#include "cli/output/table.h"

#include <algorithm>
#include <sstream>
#include <unistd.h>

#include "cli/output/report.h"
#include "cli/output/terminal.h"
#include "cli/output/text.h"

namespace spv::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastDigits = 8;
/// A wrapped column narrower than this is harder to read than one that the terminal breaks.
constexpr std::size_t kLeastWrapped = 20;
/// What is left of a text before ids are shortened.
constexpr std::size_t kReadableText = 20;
constexpr std::string_view kCut = "…";
/// Of a column that is not shown; no shown one is empty.
constexpr std::size_t kDropped = 0;

// ":1" of an outpoint; a text may have any colon in it
std::string tail_of(const std::string& cell) {
  const auto colon = cell.rfind(':');
  const bool number = colon != std::string::npos && colon + 1 < cell.size() &&
                      cell.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return number ? cell.substr(colon) : std::string();
}

std::string shortened(const std::string& cell, std::size_t width) {
  if (columns_of(cell) <= width) return cell;
  auto tail = tail_of(cell);
  if (columns_of(tail) + 1 >= width) tail.clear();
  return first_columns(cell, width - std::min(width, columns_of(tail) + 1)) + std::string(kCut) + tail;
}

bool is_wrapped(Narrow narrow) { return narrow == Narrow::Wrap || narrow == Narrow::Fold; }

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const auto width : widths) {
    if (width != kDropped) sum += (sum == 0 ? 0 : kGap) + width;
  }
  return sum;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::size_t taken = columns_of(cell);
  const std::string space(width > taken ? width - taken : 0, ' ');
  return right ? space + cell : cell + space;
}

// The text in lines of this width, broken between words; words that are too long are cut or broken.
std::vector<std::string> wrapped_cell(const std::string& text, std::size_t width, Narrow narrow) {
  if (columns_of(text) <= width) return {text};
  std::vector<std::string> lines{""};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    while (narrow == Narrow::Fold && columns_of(word) > width) {
      const auto part = first_columns(word, width);
      if (part.empty()) break;  // a wide character in a narrow window
      if (!lines.back().empty()) lines.emplace_back();
      lines.back() = part;
      word.erase(0, part.size());
    }
    if (narrow == Narrow::Wrap) word = shortened(word, width);
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (const auto& column : columns_) widths.push_back(std::max<std::size_t>(columns_of(column.title), 1));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

void Table::shorten_column(std::size_t i, std::size_t least, std::size_t width,
                           std::vector<std::size_t>& widths) const {
  const std::size_t sum = total(widths);
  if (sum <= width) return;
  least = std::max({least, columns_of(columns_[i].title), columns_[i].least});
  for (const auto& row : rows_) least = std::max(least, kLeastDigits + 1 + columns_of(tail_of(row[i])));
  const std::size_t excess = sum - width;
  widths[i] = std::min(widths[i], widths[i] > least + excess ? widths[i] - excess : least);
}

// A text first, as far as it can be read, then ids, then the rest of the text.
void Table::shorten_columns(std::size_t width, std::vector<std::size_t>& widths) const {
  const auto all = [&](Narrow kind, std::size_t least) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].narrow == kind) shorten_column(i, least, width, widths);
    }
  };
  all(Narrow::ShortenFirst, kReadableText);
  all(Narrow::Shorten, 0);
  all(Narrow::ShortenFirst, 0);
}

void Table::drop_columns(std::size_t width, std::vector<std::size_t>& widths) const {
  for (std::size_t i = columns_.size(); i-- > 0;) {
    if (columns_[i].narrow != Narrow::Drop) continue;
    auto fitted = widths;
    shorten_columns(width, fitted);
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

void Table::wrap_column(std::size_t width, std::vector<std::size_t>& widths) const {
  const std::size_t sum = total(widths);
  if (!is_wrapped(columns_.back().narrow) || sum <= width) return;
  const std::size_t before = sum - widths.back();
  widths.back() = std::min(widths.back(), std::max(kLeastWrapped, width > before ? width - before : 0));
}

void Table::add_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    std::vector<std::string>& out) const {
  std::string line;
  const auto finish = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    out.push_back(line);
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == kDropped) continue;
    if (!line.empty()) line += std::string(kGap, ' ');
    if (!is_wrapped(columns_[i].narrow)) {
      line += padded(shortened(cells[i], widths[i]), widths[i], columns_[i].right);
      continue;
    }
    const std::string indent(columns_of(line), ' ');
    const auto parts = wrapped_cell(cells[i], widths[i], columns_[i].narrow);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (part > 0) {
        finish();
        line = indent;
      }
      line += parts[part];
    }
  }
  finish();
}

std::vector<std::string> Table::lines(std::optional<std::size_t> width) const {
  auto widths = natural_widths();
  if (width) {
    drop_columns(*width, widths);
    shorten_columns(*width, widths);
    wrap_column(*width, widths);
  }
  std::vector<std::string> out;
  const bool titled = std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return !c.title.empty(); });
  if (titled) {
    std::vector<std::string> titles;
    titles.reserve(columns_.size());
    for (const auto& column : columns_) titles.push_back(column.title);
    add_row(titles, widths, out);
  }
  for (const auto& row : rows_) add_row(row, widths, out);
  return out;
}

void Table::print() const {
  for (const auto& line : lines(terminal_width(STDOUT_FILENO))) print_line(line);
}

}  // namespace spv::cli
