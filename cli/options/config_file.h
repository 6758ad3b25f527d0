// spv.conf: lines of NAME=VALUE, comments after '#', sections [NETWORK]. Which names are valid is checked elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spv::cli {

struct ConfigEntry {
  std::string section;  // a network's name; empty: for every network
  std::string name;
  std::string value;
  std::string where;  // "FILE:LINE", for errors
};

/// Throws UsageError that names the file and the line.
std::vector<ConfigEntry> parse_config(std::string_view text, const std::string& path);
/// Reads and parses a file. One that is not there is empty, unless the user named it. Throws UsageError.
std::vector<ConfigEntry> read_config(const std::filesystem::path& path, bool named_by_user);

}  // namespace spv::cli
