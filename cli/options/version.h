// What --version prints: the version, the libraries, and what the machine and the build offer.
#pragma once

#include <string>

namespace spv::cli {

/// "0.1.0"
std::string version_number();
/// Several lines for people.
std::string version_text();
/// The same for programs, as one JSON document.
std::string version_json();

}  // namespace spv::cli
