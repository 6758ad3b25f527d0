#include "cli/wallet/birthday.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "chain/pow.h"
#include "cli/error.h"
#include "util/number.h"

namespace spv::cli {
namespace {

std::optional<util::UnixTime> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = util::parse_number<int>(text.substr(0, 4));
  const auto month = util::parse_number<unsigned>(text.substr(5, 2));
  const auto day = util::parse_number<unsigned>(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::sys_days(date).time_since_epoch()).count();
}

/// Where it is already tomorrow, tomorrow is not the future.
bool is_future(util::UnixTime date, util::UnixTime now) {
  const auto seconds = static_cast<std::time_t>(now);
  std::tm here{};
  const bool known = localtime_r(&seconds, &here) != nullptr;
  return date > now + (known ? std::max(0L, here.tm_gmtoff) : 0);
}

}  // namespace

Birthday parse_birthday(const std::optional<std::string>& text, const chain::NetworkParams& params,
                        util::UnixTime now) {
  if (!text) return {};
  if (const auto time = parse_date(*text)) {
    if (is_future(*time, now)) {
      throw UsageError("--birthday " + *text + " is in the future; use the day of the first payment or earlier");
    }
    return {.height = 0, .time = time};
  }
  const auto height = util::parse_number<chain::Height>(*text);
  if (!height || *height < 0) {
    throw UsageError("invalid --birthday '" + *text + "': give a block height (840000) or a date (2024-04-20)");
  }
  return {.height = chain::scan_start(params, *height), .time = std::nullopt};
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
