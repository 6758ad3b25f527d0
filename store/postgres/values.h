// What goes to PostgreSQL and what comes back, typed and in its binary form: Params and Result. A value of another type
// than asked for is Corrupt, because the tables are ours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/store_error.h"
#include "util/bytes.h"
#include "util/secret.h"

struct pg_result;

namespace spv::store::postgres {

/// The numbers of PostgreSQL's own types (pg_type.oid).
enum class Type : std::uint32_t {
  Boolean = 16,
  Bytea = 17,
  Bigint = 20,
  Smallint = 21,
  Integer = 23,
  Text = 25,
  BooleanArray = 1000,
  ByteaArray = 1001,
  SmallintArray = 1005,
  IntegerArray = 1007,
  TextArray = 1009,
  BigintArray = 1016,
};

/// The values of one statement, $1 first. nullopt is NULL.
class Params {
 public:
  Params& bigint(std::optional<std::int64_t> value);
  Params& integer(std::optional<std::int32_t> value);
  Params& smallint(std::optional<std::int16_t> value);
  Params& boolean(std::optional<bool> value);
  Params& bytea(std::optional<util::ByteView> value);
  Params& text(std::optional<std::string_view> value);
  /// As bytea, in memory that is wiped.
  Params& secret(util::ByteView value);
  // One value for many rows: "… FROM unnest($1, $2)".
  Params& bigints(const std::vector<std::optional<std::int64_t>>& values);
  Params& integers(const std::vector<std::optional<std::int32_t>>& values);
  Params& smallints(const std::vector<std::optional<std::int16_t>>& values);
  Params& booleans(const std::vector<std::optional<bool>>& values);
  Params& byteas(const std::vector<std::optional<util::ByteView>>& values);
  Params& texts(const std::vector<std::optional<std::string_view>>& values);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::vector<Type> types() const;
  /// As libpq takes them, until this object is changed: a null pointer for NULL.
  [[nodiscard]] std::vector<const char*> pointers() const;
  [[nodiscard]] std::vector<int> lengths() const;

 private:
  struct Value {
    Type type;
    bool null;
    std::size_t offset;
    std::size_t size;
    std::optional<std::size_t> secret = std::nullopt;  // its place in secrets_, where it is one
  };
  template <typename Write>
  Params& add(Type type, bool null, Write write);
  template <typename Values, typename Write>
  Params& add_array(Type type, Type element, const Values& values, Write write);

  util::Bytes bytes_;
  std::vector<util::SecretBytes> secrets_;
  std::vector<Value> values_;
};

/// What one statement gave: rows, or only how many it changed. Rows and columns count from 0; views last as long as the
/// result.
class Result {
 public:
  /// Takes it.
  explicit Result(pg_result* result);

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] bool empty() const { return rows() == 0; }
  /// Rows that it inserted, updated, deleted or selected.
  [[nodiscard]] std::int64_t affected() const;
  /// What it was: "COMMIT", "UPDATE 3", …
  [[nodiscard]] std::string_view tag() const;
  /// Overwrites a value that was a secret.
  void wipe(std::size_t row, int column);

  [[nodiscard]] bool is_null(std::size_t row, int column) const;
  [[nodiscard]] std::int64_t bigint(std::size_t row, int column) const;
  [[nodiscard]] std::int32_t integer(std::size_t row, int column) const;
  [[nodiscard]] std::int16_t smallint(std::size_t row, int column) const;
  [[nodiscard]] bool boolean(std::size_t row, int column) const;
  [[nodiscard]] util::ByteView bytea(std::size_t row, int column) const;
  [[nodiscard]] std::string_view text(std::size_t row, int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_bigint(std::size_t row, int column) const;
  [[nodiscard]] std::optional<std::int32_t> optional_integer(std::size_t row, int column) const;
  [[nodiscard]] std::optional<std::int16_t> optional_smallint(std::size_t row, int column) const;
  [[nodiscard]] std::optional<bool> optional_boolean(std::size_t row, int column) const;
  [[nodiscard]] std::optional<util::ByteView> optional_bytea(std::size_t row, int column) const;
  [[nodiscard]] std::optional<std::string_view> optional_text(std::size_t row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  [[nodiscard]] util::ByteView value(std::size_t row, int column, Type type) const;

  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace spv::store::postgres
