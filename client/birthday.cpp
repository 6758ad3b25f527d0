#include "client/birthday.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "chain/pow.h"
#include "util/number.h"

namespace spv::client {
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

std::string_view to_string(BirthdayError error) {
  return error == BirthdayError::InFuture ? "the birthday is in the future; use the day of the first payment or earlier"
                                          : "invalid birthday; give a block height (840000) or a date (2024-04-20)";
}

util::Expected<Birthday, BirthdayError> parse_birthday(std::string_view text, const chain::NetworkParams& params,
                                                       util::UnixTime now) {
  if (const auto time = parse_date(text)) {
    if (is_future(*time, now)) return util::Unexpected{BirthdayError::InFuture};
    return Birthday{.height = 0, .time = time};
  }
  const auto height = util::parse_number<chain::Height>(text);
  if (!height || *height < 0) return util::Unexpected{BirthdayError::NotOne};
  return Birthday{.height = chain::scan_start(params, *height), .time = std::nullopt};
}

}  // namespace spv::client
