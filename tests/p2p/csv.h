// The CSV files of BIP324: a row is a map from column to text.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/p2p/samples.h"
#include "tests/support/vectors.h"
#include "util/ensure.h"

namespace spv::p2p::test {

using CsvRow = std::map<std::string, std::string>;

/// The columns of one line; a quote is no more than a character.
inline std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == ',') {
      columns.emplace_back();
    } else if (c != '\r') {
      columns.back().push_back(c);
    }
  }
  return columns;
}

/// All rows under the heading line; there is at least one.
inline std::vector<CsvRow> read_csv(const std::string& path) {
  std::istringstream text(spv::test::read_text(path));
  std::string line;
  std::getline(text, line);
  const auto names = split_csv(line);
  std::vector<CsvRow> rows;
  while (std::getline(text, line)) {
    if (line.empty()) continue;
    const auto columns = split_csv(line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < columns.size() ? columns[i] : "";
  }
  util::ensure(!rows.empty(), "a vector file without rows");
  return rows;
}

/// Exactly N bytes of hex.
template <std::size_t N>
std::array<std::uint8_t, N> array_of(std::string_view text) {
  const auto bytes = hex(text);
  util::ensure(bytes.size() == N, "hex of another size in a test");
  std::array<std::uint8_t, N> out{};
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

}  // namespace spv::p2p::test
