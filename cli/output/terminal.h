// What the terminal can show: how wide it is, and whether it takes escapes and colours.
#pragma once

#include <cstddef>
#include <optional>

namespace spv::cli {

/// The columns of the terminal behind a descriptor; nothing if it is not a terminal.
std::optional<std::size_t> terminal_width(int fd);

/// Whether the descriptor is a terminal that understands escapes: not one that calls itself dumb.
bool obeys_escapes(int fd);
/// Whether to colour: NO_COLOR, if set to anything, forbids it.
bool wants_colour(int fd);

}  // namespace spv::cli
