// Checks of options' values, each with a message that says what would do. Includes the argument library.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace spv::cli {

/// Any text but none at all.
CLI::Validator not_empty();
/// Decimal digits only, unlike the argument library, which takes -1 for the largest number of the type.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Above 0 and below 1; not-a-number is neither.
CLI::Validator probability();
/// A range that "nan" is not in, unlike the library's.
CLI::Validator number_between(double low, double high);

}  // namespace spv::cli
