// Descriptors as Bitcoin Core lists them: the output of `listdescriptors`, or the array that `spv descriptors` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/time.h"

namespace spv::cli {

struct ListedDescriptor {
  std::string text;
  bool internal = false;  // for change
  std::optional<util::UnixTime> timestamp;
  std::optional<std::uint32_t> next;  // the first index that Core has not handed out
};

/// Reads such a document; throws CommandError.
std::vector<ListedDescriptor> parse_descriptor_list(std::string_view text);
/// The earliest of their timestamps, nothing if one has none or one from before Bitcoin.
std::optional<util::UnixTime> earliest(const std::vector<ListedDescriptor>& list);

}  // namespace spv::cli
