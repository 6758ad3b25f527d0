// A wallet's birthday as people write it: a height, or a date that becomes a height once the headers are known.
#pragma once

#include <string_view>

#include "chain/params.h"
#include "client/new_wallet.h"
#include "util/expected.h"
#include "util/time.h"

namespace spv::client {

enum class BirthdayError {
  NotOne,   // neither a height nor a date
  InFuture  // a date that has not begun at `now`, be it here or in UTC: all payments until then would be left out
};
/// One line that says what to do.
std::string_view to_string(BirthdayError error);

/// "840000" or "2024-04-20".
util::Expected<Birthday, BirthdayError> parse_birthday(std::string_view text, const chain::NetworkParams& params,
                                                       util::UnixTime now);

}  // namespace spv::client
