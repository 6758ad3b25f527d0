// Checks of options' values, each with a message that says what is allowed. Includes CLI11.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace spv::cli {

/// Any text but an empty one.
CLI::Validator not_empty();
/// Decimal digits only; CLI11 itself would read -1 as the largest number of the type.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Above 0 and below 1; not-a-number is neither.
CLI::Validator probability();
/// A range that excludes "nan", unlike CLI11's own.
CLI::Validator number_between(double low, double high);

}  // namespace spv::cli
