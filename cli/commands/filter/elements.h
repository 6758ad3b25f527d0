// The elements of a filter as they are written in arguments: hex.
#pragma once

#include <string>
#include <vector>

#include "util/bytes.h"

namespace spv::cli {

/// Every text as bytes, or a UsageError that names the first one that is not an element: so all go in or none.
std::vector<util::Bytes> parse_elements(const std::vector<std::string>& texts);

}  // namespace spv::cli
