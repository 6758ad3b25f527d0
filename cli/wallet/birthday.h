// --birthday: a height, or a date that becomes a height once the headers are known.
#pragma once

#include <optional>
#include <string>

#include "client/new_wallet.h"

namespace spv::cli {

using client::Birthday;

/// Absent: genesis. Throws UsageError.
Birthday parse_birthday(const std::optional<std::string>& text, const chain::NetworkParams& params);

}  // namespace spv::cli
