#include "cli/wallet/birthday.h"

#include "cli/error.h"
#include "client/birthday.h"

namespace spv::cli {

Birthday parse_birthday(const std::optional<std::string>& text, const chain::NetworkParams& params,
                        util::UnixTime now) {
  if (!text) return {};
  const auto birthday = client::parse_birthday(*text, params, now);
  if (birthday) return *birthday;
  if (birthday.error() == client::BirthdayError::InFuture) {
    throw UsageError("--birthday " + *text + " is in the future; use the day of the first payment or earlier");
  }
  throw UsageError("invalid --birthday '" + *text + "': give a block height (840000) or a date (2024-04-20)");
}

Birthday birthday_of_timestamp(std::optional<util::UnixTime> timestamp, util::UnixTime now) {
  constexpr util::UnixTime kClockSlack = 600;
  if (timestamp && *timestamp > now + kClockSlack) {
    throw CommandError(ExitCode::Failed, "bad-descriptors",
                       "the timestamp " + std::to_string(*timestamp) +
                           " of the descriptors is in the future; correct it, or give --birthday");
  }
  return {.height = 0, .time = timestamp};
}

}  // namespace spv::cli
