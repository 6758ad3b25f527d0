// How values are shown: JSON for programs, aligned text for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "chain/types.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::cli {

/// "1.50000000"
std::string to_btc(chain::Amount amount);
/// "2026-11-16 02:28" in local time.
std::string local_time(util::UnixTime time);

/// Prints one JSON document and a newline to stdout.
void print_json(const boost::json::value& document);
void print_line(const std::string& line);

/// Columns padded to their widest cell; numbers are right-aligned.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The four sums of cli.md.
boost::json::object to_json(const wallet::Balance& balance);

}  // namespace spv::cli
