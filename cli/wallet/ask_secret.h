// Questions on the terminal whose answers are not shown.
#pragma once

#include <string_view>

#include "util/secret.h"

namespace spv::cli {

/// Asks on the process's own terminal, whatever stdin is, and reads a line that is not shown. Throws UsageError where
/// there is no terminal, and CommandError if it is closed or Ctrl-C is pressed.
util::SecretBytes ask_secret(std::string_view question);

}  // namespace spv::cli
