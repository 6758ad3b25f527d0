// Errors as values: every call of the library that can fail gives a Result. Nothing throws across the border.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spv {

/// What went wrong. The numbers are those of the C ABI (spv.h) and never change their meaning.
enum class ErrorCode : int {
  InvalidArgument = -1,  ///< an argument makes no sense; the message says which
  NotFound = -2,         ///< no such wallet, transaction or address
  Exists = -3,           ///< a wallet of that name exists and is never overwritten
  Locked = -4,           ///< another process writes this wallet
  Damaged = -5,          ///< a file is damaged, or of a newer version
  Storage = -6,          ///< the disk is full, not writable, or failed
  WrongNetwork = -7,     ///< the file or text is for another network
  Network = -8,          ///< no usable peer; all that was verified is saved
  State = -9,            ///< not now: already started, not started, or called from a callback that may not
  Secret = -10,          ///< a wrong passphrase or a mnemonic that is none
  Unsupported = -11,     ///< not part of this build (SPV_WITH_SECRETS=OFF)
  InvalidProof = -12,    ///< a proof that does not hold
  Budget = -13,          ///< the byte budget is spent
  Internal = -14,        ///< a fault of the library: please report it
  Timeout = -15,         ///< the time for the sync is up; all that was verified is saved
  Clock = -16,           ///< the clock of this machine is behind the chain: set it right
};

/// A code for programs and one line for people that says what is wrong and what to do.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
};

/// A value, or the reason why there is none. Reading the wrong one is a bug of the caller and aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  /// True if there is a value.
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return get<0>(); }
  const T& operator*() const& { return get<0>(); }
  T&& operator*() && { return std::move(get<0>()); }
  T* operator->() { return &get<0>(); }
  const T* operator->() const { return &get<0>(); }
  /// The reason; only where there is no value.
  [[nodiscard]] const Error& error() const { return get<1>(); }

 private:
  template <std::size_t I>
  auto& get() {
    if (state_.index() != I) std::abort();
    return *std::get_if<I>(&state_);
  }
  template <std::size_t I>
  const auto& get() const {
    if (state_.index() != I) std::abort();
    return *std::get_if<I>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Done, or the reason why not.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  /// True if it was done.
  explicit operator bool() const { return !error_.has_value(); }
  /// The reason; only where it was not done.
  [[nodiscard]] const Error& error() const {
    if (!error_) std::abort();
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace spv
