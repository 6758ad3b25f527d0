// Aligned columns for people, narrowed to the window if possible.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spv::cli {

/// What happens to a column if the window has no room for all of them.
enum class Narrow {
  Keep,
  Shorten,  // an id: its first digits, eight at least, "…" and what follows a colon; spv tx and spv proof take them
  ShortenFirst,  // a text of any length, such as a label: cut at its end before an id loses a digit
  Drop,          // left out, the last one first, if shortening is not enough
  Wrap,          // the last column only: goes on in the next line, between words; a word that is too long is shortened
  Fold,          // the same, but such a word goes on in the next line too: nothing is lost
};

/// Columns padded to their widest cell; numbers are right-aligned. Cells are UTF-8.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
    Narrow narrow = Narrow::Keep;
    std::size_t least = 0;  // columns that are left of one that is shortened; 0: eight digits
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The same with one more column; a cell for each row.
  [[nodiscard]] Table with(Column column, const std::vector<std::string>& cells) const;
  /// A line for the titles, if there are any, and one a row; no longer than `width` if possible.
  [[nodiscard]] std::vector<std::string> lines(std::optional<std::size_t> width) const;
  /// To stdout; in full unless that is a terminal.
  void print() const;

 private:
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  void drop_columns(std::size_t width, std::vector<std::size_t>& widths) const;
  void shorten_columns(std::size_t width, std::vector<std::size_t>& widths) const;
  /// Column `i`, to no less than `least`.
  void shorten_column(std::size_t i, std::size_t least, std::size_t width, std::vector<std::size_t>& widths) const;
  void wrap_column(std::size_t width, std::vector<std::size_t>& widths) const;
  /// The lines of one row.
  void add_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
               std::vector<std::string>& out) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace spv::cli
