// Questions on the terminal whose answers are not shown.
#pragma once

#include <string_view>

#include "util/secret.h"

namespace spv::cli {

/// Asks on the process's own terminal, whatever stdin is, and reads a line that is not shown. Throws UsageError with
/// `without_terminal` where there is none, and CommandError if it is closed or Ctrl-C is pressed, or if a signal asks
/// the process to end: the terminal is as before then.
util::SecretBytes ask_secret(
    std::string_view question,
    const char* without_terminal = "there is no terminal to ask for the passphrase; use --passphrase-file FILE");

}  // namespace spv::cli
