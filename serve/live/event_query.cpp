#include "serve/live/event_query.h"

#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace spv::serve {
namespace {

constexpr std::int64_t kMostEvents = 1'000;
constexpr std::int64_t kLongestWait = 60;

/// What is wrong with a field; nothing if it was taken.
using Complaint = std::optional<std::string>;

std::optional<std::int64_t> number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

Complaint take_after(EventQuery& query, std::string_view name, std::string_view text) {
  query.after = number(text, 0, std::numeric_limits<store::Seq>::max() - 1);
  if (query.after) return std::nullopt;
  return std::string(name) + " must be the number of an event";
}

Complaint take_wallet(EventQuery& query, const std::string& text) {
  if (!store::is_wallet_name(text)) return "wallet is not a valid wallet name";
  query.wallet = text;
  return std::nullopt;
}

Complaint take_list_field(EventQuery& query, const std::string& name, const std::string& text) {
  if (name == "limit") {
    const auto limit = number(text, 1, kMostEvents);
    if (!limit) return "limit must be a number from 1 to 1000";
    query.limit = static_cast<std::size_t>(*limit);
    return std::nullopt;
  }
  if (name == "wait") {
    const auto wait = number(text, 0, kLongestWait);
    if (!wait) return "wait must be a number of seconds from 0 to 60";
    query.wait = std::chrono::seconds(*wait);
    return std::nullopt;
  }
  return "unknown parameter '" + name + "'";
}

util::Unexpected<Response> bad(std::string_view complaint) {
  return util::Unexpected{error_response(400, "bad-request", complaint)};
}

util::Expected<EventQuery, Response> parse(const Request& request, bool is_list) {
  EventQuery query;
  std::set<std::string_view> seen;
  for (const auto& [name, text] : request.query) {
    if (!seen.insert(name).second) return bad("the parameter '" + name + "' is given twice");
    Complaint complaint;
    if (name == "after") {
      complaint = take_after(query, name, text);
    } else if (name == "wallet") {
      complaint = take_wallet(query, text);
    } else if (is_list) {
      complaint = take_list_field(query, name, text);
    } else {
      complaint = "unknown parameter '" + name + "'";
    }
    if (complaint) return bad(*complaint);
  }
  return query;
}

}  // namespace

util::Expected<EventQuery, Response> parse_list_query(const Request& request) { return parse(request, true); }

util::Expected<EventQuery, Response> parse_stream_query(const Request& request) {
  auto query = parse(request, false);
  // A browser that has not seen a number yet sends none, or an empty one.
  if (!query || request.last_event_id.value_or("").empty()) return query;
  if (const auto complaint = take_after(*query, "Last-Event-ID", *request.last_event_id)) return bad(*complaint);
  return query;
}

}  // namespace spv::serve
