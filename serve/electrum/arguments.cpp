#include "serve/electrum/arguments.h"

#include <algorithm>

#include <boost/json.hpp>

namespace spv::serve::electrum {

namespace json = boost::json;

Arguments::Arguments(const json::value& params, std::span<const std::string_view> names, bool lenient)
    : params_(params), names_(names) {
  if (lenient) return;
  if (const auto* list = params.if_array()) {
    if (list->size() > names.size()) fail("too many arguments: at most " + std::to_string(names.size()));
    return;
  }
  for (const auto& field : params.get_object()) {
    if (std::ranges::find(names, std::string_view(field.key())) == names.end()) fail("an unknown argument");
  }
}

const json::value* Arguments::find(std::size_t place) const {
  const json::value* found = nullptr;
  if (const auto* list = params_.if_array()) {
    if (place < list->size()) found = &(*list)[place];
  } else {
    found = params_.get_object().if_contains({names_[place].data(), names_[place].size()});
  }
  return found == nullptr || found->is_null() ? nullptr : found;
}

const json::value* Arguments::required(std::size_t place) {
  const auto* value = find(place);
  if (value == nullptr) fail("the argument " + name_of(place) + " is missing");
  return value;
}

std::int64_t Arguments::integer(std::size_t place, std::int64_t least, std::int64_t most) {
  const auto* value = required(place);
  if (value == nullptr) return least;
  const auto* number = value->if_int64();
  if (number != nullptr && *number >= least && *number <= most) return *number;
  fail(name_of(place) + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

std::int64_t Arguments::integer_or(std::size_t place, std::int64_t least, std::int64_t most, std::int64_t absent) {
  return has(place) ? integer(place, least, most) : absent;
}

// Some clients send 0 and 1.
bool Arguments::flag_or(std::size_t place, bool absent) {
  const auto* value = find(place);
  if (value == nullptr) return absent;
  if (const auto* flag = value->if_bool()) return *flag;
  const auto* number = value->if_int64();
  if (number != nullptr && (*number == 0 || *number == 1)) return *number == 1;
  fail(name_of(place) + " must be true or false");
  return absent;
}

std::string Arguments::text(std::size_t place) {
  const auto* value = required(place);
  if (value == nullptr) return {};
  if (const auto* text = value->if_string()) return std::string(*text);
  fail(name_of(place) + " must be a string");
  return {};
}

std::string Arguments::text_or(std::size_t place, std::string absent) {
  return has(place) ? text(place) : std::move(absent);
}

util::Hash256 Arguments::any_hash(std::size_t place) {
  const auto given = text(place);
  const auto hash = util::parse_hash<util::Hash256>(given);
  if (!hash) fail(name_of(place) + " must be 64 characters of hex");
  return hash.value_or(util::Hash256{});
}

void Arguments::fail(std::string message) {
  if (!error_) error_ = RpcError{kInvalidParams, std::move(message)};
}

}  // namespace spv::serve::electrum
