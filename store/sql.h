// SQL text from the names of a table and its columns.
#pragma once

#include <string>
#include <string_view>

namespace spv::store {

inline std::string select(std::string_view columns, std::string_view rest) {
  return "SELECT " + std::string(columns) + " FROM " + std::string(rest);
}

/// "INSERT INTO table (columns) VALUES (?, …)", with as many parameters as columns.
inline std::string insert(std::string_view table, std::string_view columns) {
  std::string parameters = "?";
  for (const char c : columns) {
    if (c == ',') parameters += ", ?";
  }
  return "INSERT INTO " + std::string(table) + " (" + std::string(columns) + ") VALUES (" + parameters + ")";
}

inline std::string with_id(std::string_view columns) { return std::string(columns) + ", id"; }

}  // namespace spv::store
