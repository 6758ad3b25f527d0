// The elements of a filter as they are written in arguments or lines of stdin: hex, or text.
#pragma once

#include <functional>
#include <string_view>

#include "util/bytes.h"

namespace spv::cli {

struct FilterElements;

/// Takes an element and how it was written.
using UseElement = std::function<void(util::ByteView, std::string_view)>;

/// Calls `use` for every element in its order. A UsageError names the first that is not one: of arguments before any is
/// used, of lines when they are read.
void for_each_element(const FilterElements& options, const UseElement& use);

}  // namespace spv::cli
