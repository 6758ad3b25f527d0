// What the terminal can show: how wide it is, and whether it takes escapes and colours.
#pragma once

#include <cstddef>
#include <optional>

namespace spv::cli {

/// The columns of the terminal that a descriptor leads to; nothing if it leads elsewhere.
std::optional<std::size_t> terminal_width(int fd);

/// Whether the terminal obeys escapes: not if it is none, or says that it is dumb.
bool obeys_escapes(int fd);
/// Whether to colour: NO_COLOR, if set to anything, forbids it.
bool wants_colour(int fd);

}  // namespace spv::cli
