// The terminal: how wide it is, and questions whose answers nobody sees.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "util/secret.h"

namespace spv::cli {

/// The columns of the terminal that a descriptor leads to; nothing if it leads elsewhere.
std::optional<std::size_t> terminal_width(int fd);

/// Whether the terminal obeys escapes: not if it is none, or says that it is dumb.
bool obeys_escapes(int fd);
/// Whether to colour: NO_COLOR, if set to anything, forbids it.
bool wants_colour(int fd);

/// Asks on the process's own terminal, whatever stdin is, and reads a line that is not shown. Throws UsageError where
/// there is no terminal, and CommandError if it is closed or Ctrl-C is pressed.
util::SecretBytes ask_secret(std::string_view question);

}  // namespace spv::cli
