// Comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace spv::cli {

/// One record with its line end (CRLF): fields that need it are in quotes.
std::string csv_record(const std::vector<std::string>& fields);

}  // namespace spv::cli
