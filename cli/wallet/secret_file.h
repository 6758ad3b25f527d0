// Secrets come from files or stdin, never from arguments, and stay in memory that is wiped.
#pragma once

#include <string>
#include <string_view>

#include "util/secret.h"

namespace spv::cli {

/// The whole file, or stdin for "-"; at most 4 KiB. `what` names it in errors.
util::SecretBytes read_secret(const std::string& path, std::string_view what);
/// The same without the newline at its end.
util::SecretBytes read_secret_line(const std::string& path, std::string_view what);

inline std::string_view as_text(const util::SecretBytes& secret) {
  return {reinterpret_cast<const char*>(secret.data()), secret.size()};
}

}  // namespace spv::cli
