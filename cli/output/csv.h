// Comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace spv::cli {

/// Text that somebody else may have chosen, such as a label of a file from elsewhere, for a field: spreadsheets take
/// what begins with one of = + - @, a tab or a carriage return for a formula and run it, so an apostrophe goes before
/// it.
std::string csv_text(const std::string& text);
/// One record with its line end (CRLF): fields that need it are in quotes.
std::string csv_record(const std::vector<std::string>& fields);

}  // namespace spv::cli
