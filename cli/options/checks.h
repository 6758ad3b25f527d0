// Checks of options' values. Each message begins with "must": the option's name is put before it. Includes CLI11.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace spv::cli {

/// Any text but an empty one.
CLI::Validator not_empty();
/// One of these texts, which help and completions list too.
CLI::Validator one_of(std::vector<std::string> choices);
/// Decimal digits only; CLI11 itself would read -1 as the largest number of the type.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Above 0 and below 1; not-a-number is neither.
CLI::Validator probability();
/// A range that excludes "nan", unlike CLI11's own.
CLI::Validator number_between(double low, double high);

/// What CLI11 says of arguments that it refuses, in our words: "--words must be 12, 15, 18, 21 or 24".
std::string usage_text(const CLI::ParseError& error);

}  // namespace spv::cli
