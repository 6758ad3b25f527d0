// Expected<T, E>: a value or the reason why there is none. (std::expected is C++23.)
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "util/ensure.h"

namespace spv::util {

/// Wraps an error on its way into an Expected.
template <typename E>
struct Unexpected {
  E error;
};
template <typename E>
Unexpected(E) -> Unexpected<E>;

/// Holds either a T or an E; reading the wrong one is a bug of ours and aborts.
template <typename T, typename E>
class [[nodiscard]] Expected {
 public:
  // NOLINTBEGIN(google-explicit-constructor): returning a value or an error is the whole point.
  template <typename U = T>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, Expected>) Expected(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  template <typename G>
  Expected(Unexpected<G> unexpected) : state_(std::in_place_index<1>, std::move(unexpected.error)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return checked_value(*this); }
  const T& value() const& { return checked_value(*this); }
  T&& value() && { return std::move(checked_value(*this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const {
    ensure(!has_value(), "Expected holds a value, not an error");
    return *std::get_if<1>(&state_);
  }

 private:
  template <typename Self>
  static auto& checked_value(Self& self) {
    ensure(self.has_value(), "Expected holds an error, not a value");
    return *std::get_if<0>(&self.state_);
  }

  std::variant<T, E> state_;
};

/// Success without a value, or an error.
template <typename E>
class [[nodiscard]] Expected<void, E> {
 public:
  Expected() = default;
  template <typename G>
  Expected(Unexpected<G> unexpected)  // NOLINT(google-explicit-constructor)
      : error_(std::move(unexpected.error)) {}

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const E& error() const {
    ensure(error_.has_value(), "Expected holds no error");
    return *error_;
  }

 private:
  std::optional<E> error_;
};

}  // namespace spv::util
