// A question on the terminal that is answered with yes or no.
#pragma once

#include <string>

namespace spv::cli {

/// True if somebody can be asked: stdin and stderr are a terminal.
bool can_ask();
/// Asks on stderr and reads a line from stdin; anything but y or yes is a no.
bool confirm(const std::string& question);

}  // namespace spv::cli
