#include "serve/api/json_body.h"

#include <cmath>

#include <boost/json/basic_parser_impl.hpp>

#include "util/utf8.h"

namespace spv::serve {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 16;

json::parse_options strict_options() {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  return options;
}

/// Reads a document for the names of its fields only: a tree would keep the last of two that are the same.
class KeyChecker {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names that Boost looks for
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  // NOLINTEND(readability-identifier-naming)

  [[nodiscard]] const std::optional<std::string>& repeated() const { return repeated_; }

  bool on_document_begin(json::error_code& /*error*/) { return true; }
  bool on_document_end(json::error_code& /*error*/) { return true; }
  bool on_object_begin(json::error_code& /*error*/) {
    open_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t /*count*/, json::error_code& /*error*/) {
    open_.pop_back();
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t /*size*/, json::error_code& /*error*/) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t size, json::error_code& error) {
    on_key_part(part, size, error);
    if (!open_.back().insert(key_).second && !repeated_) repeated_ = key_;
    key_.clear();
    return true;
  }
  bool on_array_begin(json::error_code& /*error*/) { return true; }
  bool on_array_end(std::size_t /*count*/, json::error_code& /*error*/) { return true; }
  bool on_string_part(json::string_view /*part*/, std::size_t /*size*/, json::error_code& /*error*/) { return true; }
  bool on_string(json::string_view /*part*/, std::size_t /*size*/, json::error_code& /*error*/) { return true; }
  bool on_number_part(json::string_view /*part*/, json::error_code& /*error*/) { return true; }
  bool on_int64(std::int64_t /*value*/, json::string_view /*text*/, json::error_code& /*error*/) { return true; }
  bool on_uint64(std::uint64_t /*value*/, json::string_view /*text*/, json::error_code& /*error*/) { return true; }
  bool on_double(double /*value*/, json::string_view /*text*/, json::error_code& /*error*/) { return true; }
  bool on_bool(bool /*value*/, json::error_code& /*error*/) { return true; }
  bool on_null(json::error_code& /*error*/) { return true; }
  bool on_comment_part(json::string_view /*part*/, json::error_code& /*error*/) { return true; }
  bool on_comment(json::string_view /*part*/, json::error_code& /*error*/) { return true; }

 private:
  std::vector<std::set<std::string>> open_;  // the fields of each object around the place
  std::string key_;
  std::optional<std::string> repeated_;
};

/// A field that one object has twice. The text must be a JSON document.
std::optional<std::string> repeated_field(std::string_view text) {
  json::basic_parser<KeyChecker> parser(strict_options());
  json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return parser.handler().repeated();
}

util::Unexpected<BadRequest> bad(std::string message) { return util::Unexpected{BadRequest{std::move(message)}}; }

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  const bool cut = text.size() > kLongest;
  return "'" + util::to_line(text.substr(0, kLongest)) + (cut ? "…'" : "'");
}

Parsed<json::object> parse_body(std::string_view text) {
  if (text.empty()) return bad("the request has no body; send a JSON object");
  json::error_code error;
  auto document = json::parse(text, error, {}, strict_options());
  if (error == json::error::too_deep) return bad("the JSON of the body is nested too deeply; 16 levels are the most");
  if (error) return bad("the body is not valid JSON: " + error.message());
  if (!document.is_object()) return bad("the body must be a JSON object");
  if (const auto name = repeated_field(text)) return bad("field " + in_quotes(*name) + " is there twice");
  return std::move(document.as_object());
}

FieldReader::FieldReader(const json::object& object, std::string where) : object_(object), where_(std::move(where)) {}

bool FieldReader::has(std::string_view name) const {
  const auto* value = object_.if_contains(name);
  return value != nullptr && !value->is_null();
}

void FieldReader::fail(const std::string& message) {
  if (!error_) error_ = BadRequest{where_ + message};
}

const json::value* FieldReader::any_if(std::string_view name) {
  asked_.emplace(name);
  return has(name) ? object_.if_contains(name) : nullptr;
}

const json::value* FieldReader::required(std::string_view name) {
  const auto* value = any_if(name);
  if (value == nullptr) fail(std::string(name) + " is missing");
  return value;
}

std::optional<std::string> FieldReader::text_if(std::string_view name) {
  const auto* value = any_if(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return std::string(value->get_string());
  fail(std::string(name) + " must be a string");
  return std::nullopt;
}

std::string FieldReader::text(std::string_view name) {
  return required(name) == nullptr ? std::string() : text_if(name).value_or("");
}

bool FieldReader::flag(std::string_view name, bool absent) {
  const auto* value = any_if(name);
  if (value == nullptr) return absent;
  if (value->is_bool()) return value->get_bool();
  fail(std::string(name) + " must be true or false");
  return absent;
}

std::optional<std::int64_t> FieldReader::integer_if(std::string_view name, std::int64_t least, std::int64_t most) {
  const auto* value = any_if(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64() && value->get_int64() >= least && value->get_int64() <= most) return value->get_int64();
  fail(std::string(name) + " must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::int64_t FieldReader::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  return required(name) == nullptr ? least : integer_if(name, least, most).value_or(least);
}

std::optional<std::int64_t> FieldReader::thousandths_if(std::string_view name) {
  const auto* value = any_if(name);
  if (value == nullptr) return std::nullopt;
  constexpr double kBound = 10'000'000;
  const double number = value->is_double()  ? value->get_double()
                        : value->is_int64() ? static_cast<double>(value->get_int64())
                                            : 0;
  const double scaled = std::round(number * 1'000);
  // What has three decimals differs from the nearest thousandth by rounding only.
  if (number > 0 && number < kBound && scaled >= 1 && std::abs(number * 1'000 - scaled) < 1e-5) {
    return static_cast<std::int64_t>(scaled);
  }
  fail(std::string(name) + " must be a number above 0 and below 10000000 with at most 3 decimals");
  return std::nullopt;
}

std::vector<std::string> FieldReader::texts_if(std::string_view name) {
  std::vector<std::string> out;
  const auto* list = list_if(name);
  if (list == nullptr) return out;
  for (const auto& each : *list) {
    if (!each.is_string()) fail(std::string(name) + " must be a list of strings");
    out.emplace_back(each.is_string() ? std::string(each.get_string()) : std::string());
  }
  return out;
}

std::vector<const json::object*> FieldReader::objects(std::string_view name) {
  std::vector<const json::object*> out;
  const auto* list = required(name) == nullptr ? nullptr : list_if(name);
  if (list == nullptr) return out;
  for (const auto& each : *list) {
    if (!each.is_object()) fail(std::string(name) + " must be a list of objects");
    if (each.is_object()) out.push_back(&each.get_object());
  }
  return out;
}

const json::array* FieldReader::list_if(std::string_view name) {
  const auto* value = any_if(name);
  if (value == nullptr) return nullptr;
  const auto* list = value->if_array();
  if (list == nullptr || list->empty()) fail(std::string(name) + " must be a list that is not empty");
  return list;
}

void FieldReader::refuse_unknown() {
  for (const auto& field : object_) {
    if (asked_.find(std::string_view(field.key())) != asked_.end()) continue;
    // Before anything else: a field that is misspelt is most likely the one that is missing.
    error_ = BadRequest{"unknown field " + in_quotes(where_ + std::string(field.key()))};
    return;
  }
}

}  // namespace spv::serve
