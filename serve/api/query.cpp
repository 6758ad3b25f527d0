#include "serve/api/query.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "store/store.h"
#include "util/number.h"

namespace spv::serve {
namespace {

constexpr std::size_t kMaxWaitSeconds = 60;

std::optional<BadRequest> refuse_others(const Query& query, std::initializer_list<std::string_view> known) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : query) {
    if (std::ranges::find(known, name) == known.end()) return BadRequest{"unknown query field " + in_quotes(name)};
    if (!seen.insert(name).second) return BadRequest{"query field " + in_quotes(name) + " is there twice"};
  }
  return std::nullopt;
}

const std::string* find(const Query& query, std::string_view name) {
  const auto found = std::ranges::find(query, name, [](const auto& field) { return std::string_view(field.first); });
  return found == query.end() ? nullptr : &found->second;
}

Parsed<std::size_t> number(const Query& query, std::string_view name, std::size_t least, std::size_t most,
                           std::size_t absent) {
  const auto* text = find(query, name);
  if (text == nullptr) return absent;
  const auto value = util::parse_number<std::size_t>(*text);
  if (value && *value >= least && *value <= most) return *value;
  return util::Unexpected{BadRequest{std::string(name) + " must be a whole number from " + std::to_string(least) +
                                     " to " + std::to_string(most)}};
}

Parsed<EventsQuery> read_events(const Query& query) {
  EventsQuery out;
  if (const auto* text = find(query, "after")) {
    out.after = parse_seq(*text);
    if (!out.after) return util::Unexpected{BadRequest{"after must be the number of an event, or 0"}};
  }
  if (const auto* name = find(query, "wallet")) {
    if (!store::is_wallet_name(*name)) return util::Unexpected{BadRequest{in_quotes(*name) + " is not a wallet name"}};
    out.wallet = *name;
  }
  const auto limit = number(query, "limit", 1, report::kMaxPageSize, report::kDefaultPageSize);
  if (!limit) return util::Unexpected{limit.error()};
  const auto wait = number(query, "wait", 0, kMaxWaitSeconds, 0);
  if (!wait) return util::Unexpected{wait.error()};
  out.limit = *limit;
  out.wait = std::chrono::seconds(*wait);
  return out;
}

}  // namespace

std::optional<store::Seq> parse_seq(std::string_view text) {
  const auto value = util::parse_number<store::Seq>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<BadRequest> refuse_query(const Query& query) { return refuse_others(query, {}); }

Parsed<report::PageRequest> parse_page_query(const Query& query) {
  if (auto wrong = refuse_others(query, {"limit", "after"})) return util::Unexpected{std::move(*wrong)};
  const auto limit = number(query, "limit", 1, report::kMaxPageSize, report::kDefaultPageSize);
  if (!limit) return util::Unexpected{limit.error()};
  report::PageRequest out{.limit = *limit};
  if (const auto* after = find(query, "after")) out.after = *after;
  return out;
}

Parsed<EventsQuery> parse_events_query(const Query& query) {
  if (auto wrong = refuse_others(query, {"after", "wallet", "limit", "wait"}))
    return util::Unexpected{std::move(*wrong)};
  return read_events(query);
}

Parsed<EventsQuery> parse_stream_query(const Query& query) {
  if (auto wrong = refuse_others(query, {"after", "wallet"})) return util::Unexpected{std::move(*wrong)};
  return read_events(query);
}

}  // namespace spv::serve
