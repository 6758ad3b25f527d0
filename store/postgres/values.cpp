#include "store/postgres/values.h"

#include <charconv>
#include <libpq-fe.h>
#include <limits>
#include <utility>

#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

template <typename Integer>
void write_big_endian(util::Bytes& out, Integer value) {
  const auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
  for (int shift = std::numeric_limits<std::make_unsigned_t<Integer>>::digits - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(bits >> static_cast<unsigned>(shift)));
  }
}

void write_bytes(util::Bytes& out, util::ByteView bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

template <typename Integer>
Integer read_big_endian(util::ByteView bytes) {
  std::make_unsigned_t<Integer> bits = 0;
  for (const std::uint8_t byte : bytes) bits = static_cast<decltype(bits)>((std::uint64_t{bits} << 8U) | byte);
  return static_cast<Integer>(bits);
}

[[noreturn]] void throw_wrong_type() {
  throw StoreError(StoreError::Kind::Corrupt,
                   "the database holds a value of another type than expected; was a table changed by hand?");
}

}  // namespace

template <typename Write>
Params& Params::add(Type type, bool null, Write write) {
  const std::size_t offset = bytes_.size();
  if (!null) write();
  values_.push_back({.type = type, .null = null, .offset = offset, .size = bytes_.size() - offset});
  // An empty value has an address too: a null pointer would be NULL.
  bytes_.push_back(0);
  return *this;
}

// The binary form of an array: dimensions, whether it holds NULL, type, length, first index; then each value with its
// length before it, which is -1 for NULL.
template <typename Values, typename Write>
Params& Params::add_array(Type type, Type element, const Values& values, Write write) {
  return add(type, false, [&] {
    write_big_endian(bytes_, std::int32_t{values.empty() ? 0 : 1});
    bool has_null = false;
    for (const auto& value : values) has_null = has_null || !value.has_value();
    write_big_endian(bytes_, std::int32_t{has_null});
    write_big_endian(bytes_, static_cast<std::uint32_t>(element));
    if (values.empty()) return;
    write_big_endian(bytes_, static_cast<std::int32_t>(values.size()));
    write_big_endian(bytes_, std::int32_t{1});
    for (const auto& value : values) {
      if (!value) {
        write_big_endian(bytes_, std::int32_t{-1});
        continue;
      }
      util::Bytes one;
      write(one, *value);
      write_big_endian(bytes_, static_cast<std::int32_t>(one.size()));
      write_bytes(bytes_, one);
    }
  });
}

Params& Params::bigint(std::optional<std::int64_t> value) {
  return add(Type::Bigint, !value, [&] { write_big_endian(bytes_, *value); });
}
Params& Params::integer(std::optional<std::int32_t> value) {
  return add(Type::Integer, !value, [&] { write_big_endian(bytes_, *value); });
}
Params& Params::smallint(std::optional<std::int16_t> value) {
  return add(Type::Smallint, !value, [&] { write_big_endian(bytes_, *value); });
}
Params& Params::boolean(std::optional<bool> value) {
  return add(Type::Boolean, !value, [&] { bytes_.push_back(*value ? 1 : 0); });
}
Params& Params::bytea(std::optional<util::ByteView> value) {
  return add(Type::Bytea, !value, [&] { write_bytes(bytes_, *value); });
}
Params& Params::text(std::optional<std::string_view> value) {
  return add(Type::Text, !value, [&] { write_bytes(bytes_, util::as_bytes(*value)); });
}

Params& Params::secret(util::ByteView value) {
  const std::size_t place = secrets_.size();
  secrets_.emplace_back(value.begin(), value.end());
  secrets_.back().push_back(0);  // an empty one has an address too
  values_.push_back({.type = Type::Bytea, .null = false, .offset = 0, .size = value.size(), .secret = place});
  return *this;
}

Params& Params::bigints(const std::vector<std::optional<std::int64_t>>& values) {
  return add_array(Type::BigintArray, Type::Bigint, values, write_big_endian<std::int64_t>);
}
Params& Params::integers(const std::vector<std::optional<std::int32_t>>& values) {
  return add_array(Type::IntegerArray, Type::Integer, values, write_big_endian<std::int32_t>);
}
Params& Params::smallints(const std::vector<std::optional<std::int16_t>>& values) {
  return add_array(Type::SmallintArray, Type::Smallint, values, write_big_endian<std::int16_t>);
}
Params& Params::booleans(const std::vector<std::optional<bool>>& values) {
  return add_array(Type::BooleanArray, Type::Boolean, values,
                   [](util::Bytes& out, bool value) { out.push_back(value ? 1 : 0); });
}
Params& Params::byteas(const std::vector<std::optional<util::ByteView>>& values) {
  return add_array(Type::ByteaArray, Type::Bytea, values, write_bytes);
}
Params& Params::texts(const std::vector<std::optional<std::string_view>>& values) {
  return add_array(Type::TextArray, Type::Text, values,
                   [](util::Bytes& out, std::string_view text) { write_bytes(out, util::as_bytes(text)); });
}

std::vector<Type> Params::types() const {
  std::vector<Type> out;
  out.reserve(values_.size());
  for (const Value& value : values_) out.push_back(value.type);
  return out;
}

std::vector<const char*> Params::pointers() const {
  std::vector<const char*> out;
  out.reserve(values_.size());
  for (const Value& value : values_) {
    const std::uint8_t* data = value.secret ? secrets_[*value.secret].data() : bytes_.data() + value.offset;
    out.push_back(value.null ? nullptr : reinterpret_cast<const char*>(data));
  }
  return out;
}

std::vector<int> Params::lengths() const {
  std::vector<int> out;
  out.reserve(values_.size());
  for (const Value& value : values_) {
    util::ensure(std::in_range<int>(value.size), "PostgreSQL takes no value of 2 GiB");
    out.push_back(static_cast<int>(value.size));
  }
  return out;
}

void Result::Clear::operator()(pg_result* result) const { PQclear(result); }

Result::Result(pg_result* result) : result_(result) {}

std::size_t Result::rows() const { return static_cast<std::size_t>(PQntuples(result_.get())); }

std::int64_t Result::affected() const {
  const std::string_view digits = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

std::string_view Result::tag() const { return PQcmdStatus(result_.get()); }

void Result::wipe(std::size_t row, int column) {
  if (is_null(row, column)) return;
  const int at = static_cast<int>(row);
  OPENSSL_cleanse(PQgetvalue(result_.get(), at, column),
                  static_cast<std::size_t>(PQgetlength(result_.get(), at, column)));
}

bool Result::is_null(std::size_t row, int column) const {
  util::ensure(row < rows() && column >= 0 && column < PQnfields(result_.get()), "a value outside the result");
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}

util::ByteView Result::value(std::size_t row, int column, Type type) const {
  if (is_null(row, column) || PQftype(result_.get(), column) != static_cast<Oid>(type)) throw_wrong_type();
  const int at = static_cast<int>(row);
  const auto* data = reinterpret_cast<const std::uint8_t*>(PQgetvalue(result_.get(), at, column));
  return {data, static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

std::int64_t Result::bigint(std::size_t row, int column) const {
  return read_big_endian<std::int64_t>(value(row, column, Type::Bigint));
}
std::int32_t Result::integer(std::size_t row, int column) const {
  return read_big_endian<std::int32_t>(value(row, column, Type::Integer));
}
std::int16_t Result::smallint(std::size_t row, int column) const {
  return read_big_endian<std::int16_t>(value(row, column, Type::Smallint));
}
bool Result::boolean(std::size_t row, int column) const { return value(row, column, Type::Boolean)[0] != 0; }
util::ByteView Result::bytea(std::size_t row, int column) const { return value(row, column, Type::Bytea); }
std::string_view Result::text(std::size_t row, int column) const {
  const util::ByteView bytes = value(row, column, Type::Text);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<std::int64_t> Result::optional_bigint(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return bigint(row, column);
}
std::optional<std::int32_t> Result::optional_integer(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return integer(row, column);
}
std::optional<std::int16_t> Result::optional_smallint(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return smallint(row, column);
}
std::optional<bool> Result::optional_boolean(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return boolean(row, column);
}
std::optional<util::ByteView> Result::optional_bytea(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return bytea(row, column);
}
std::optional<std::string_view> Result::optional_text(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return text(row, column);
}

}  // namespace spv::store::postgres
