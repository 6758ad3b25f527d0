// --birthday: a height, or a date that becomes a height once the headers are known.
#pragma once

#include <optional>
#include <string>

#include "chain/params.h"
#include "util/time.h"

namespace spv::cli {

struct Birthday {
  chain::Height height = 0;
  std::optional<util::UnixTime> time;
};

/// Absent: genesis. Throws UsageError.
Birthday parse_birthday(const std::optional<std::string>& text, const chain::NetworkParams& params);

}  // namespace spv::cli
