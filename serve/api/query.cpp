#include "serve/api/query.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "util/number.h"

namespace spv::serve {
namespace {

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

}  // namespace

std::optional<BadRequest> refuse_query(const Query& query) { return refuse_others(query, {}); }

Parsed<report::PageRequest> parse_page_query(const Query& query) {
  if (auto wrong = refuse_others(query, {"limit", "after"})) return util::Unexpected{std::move(*wrong)};
  const auto limit = number(query, "limit", 1, report::kMaxPageSize, report::kDefaultPageSize);
  if (!limit) return util::Unexpected{limit.error()};
  report::PageRequest out{.limit = *limit};
  if (const auto* after = find(query, "after")) out.after = *after;
  return out;
}

}  // namespace spv::serve
