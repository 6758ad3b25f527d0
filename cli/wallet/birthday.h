// --birthday: a height, or a date that becomes a height once the headers are known.
#pragma once

#include <optional>
#include <string>

#include "client/clock.h"
#include "client/new_wallet.h"
#include "util/time.h"

namespace spv::cli {

using client::Birthday;

/// Absent: genesis. Throws UsageError, also for a date that is in the future at `now`, be it here or in UTC.
Birthday parse_birthday(const std::optional<std::string>& text, const chain::NetworkParams& params,
                        util::UnixTime now = client::read_clock().wall);

/// The earliest timestamp of a list of descriptors; absent: genesis. Throws CommandError for one in the future, which
/// would leave all payments out; ten minutes are left to the clock of the machine that made the list.
Birthday birthday_of_timestamp(std::optional<util::UnixTime> timestamp, util::UnixTime now = client::read_clock().wall);

}  // namespace spv::cli
