// Text from outside as a terminal shows it: how wide it is, and what of it fits.
#pragma once

#include <string>
#include <string_view>

#include "util/utf8.h"

namespace spv::cli {

using util::to_line;
using util::to_utf8;

/// How many columns of a terminal a line of UTF-8 takes: none for a mark above a letter, two for a wide character.
std::size_t columns_of(std::string_view text);
/// As much of the line's beginning as fits into so many columns.
std::string first_columns(std::string_view text, std::size_t columns);

}  // namespace spv::cli
