// Bodies of requests: one JSON object, read by strict rules. Whatever breaks them is an error in words that name the
// field; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "util/expected.h"

namespace spv::serve {

/// A request that does not have the form that it should (400); the text says what is wrong.
struct BadRequest {
  std::string message;
};
template <typename T>
using Parsed = util::Expected<T, BadRequest>;

/// The object that the text is: valid UTF-8, at most 16 levels deep, no field twice in one object, nothing behind it.
Parsed<boost::json::object> parse_body(std::string_view text);

/// Takes the fields out of an object. The first thing that is wrong is kept, and what is read after it means nothing:
/// result() tells. Null stands for a field that is absent.
class FieldReader {
 public:
  /// `where` is put before the name of a field in messages: "outputs[2].".
  explicit FieldReader(const boost::json::object& object, std::string where = "");

  [[nodiscard]] bool has(std::string_view name) const;

  std::string text(std::string_view name);
  std::optional<std::string> text_if(std::string_view name);
  bool flag(std::string_view name, bool absent);
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<std::int64_t> integer_if(std::string_view name, std::int64_t least, std::int64_t most);
  /// With at most three decimals, above zero and below ten million; in thousandths.
  std::optional<std::int64_t> thousandths_if(std::string_view name);
  /// At least one text.
  std::vector<std::string> texts_if(std::string_view name);
  /// At least one object, as they are.
  std::vector<const boost::json::object*> objects(std::string_view name);
  /// The value itself, if it is there.
  const boost::json::value* any_if(std::string_view name);

  /// Notes what is wrong, in words that begin with the name of a field, unless something was wrong before.
  void fail(const std::string& message);
  /// The value, if all fields were right and each one of the object was asked for.
  template <typename T>
  Parsed<T> result(T value) {
    refuse_unknown();
    if (error_) return util::Unexpected{std::move(*error_)};
    return value;
  }

 private:
  void refuse_unknown();
  const boost::json::value* required(std::string_view name);
  const boost::json::array* list_if(std::string_view name);

  const boost::json::object& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
  std::optional<BadRequest> error_;
};

/// A piece of a request as it can be repeated in a message: one line, not too long, in quotes.
std::string in_quotes(std::string_view text);

}  // namespace spv::serve
