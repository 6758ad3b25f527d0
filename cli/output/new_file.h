// A new file that only its owner may read, for what tells which coins are his.
#pragma once

#include <string>

#include "util/bytes.h"

namespace spv::cli {

/// Never overwrites; throws CommandError with this code, and then leaves nothing behind.
void write_new_file(const std::string& path, util::ByteView content, const std::string& code);

}  // namespace spv::cli
