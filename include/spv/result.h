// Errors as values: every library call that can fail returns a Result. No exception crosses the API.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spv {

/// What went wrong. The numbers are those of the C ABI (spv.h) and never change their meaning.
enum class ErrorCode : int {
  InvalidArgument = -1,  ///< an argument is invalid; the message says which
  NotFound = -2,         ///< no such wallet, transaction or address
  Exists = -3,           ///< a wallet with that name exists; it is never overwritten
  Locked = -4,           ///< another process is writing to this wallet
  Damaged = -5,          ///< a file is damaged, or was written by a newer version
  Storage = -6,          ///< the disk is full, read-only, or failed
  WrongNetwork = -7,     ///< a file or text is for another network
  Network = -8,          ///< no usable peer; everything verified is saved
  State = -9,            ///< already started, not started, or not allowed in a callback
  Secret = -10,          ///< wrong passphrase or invalid mnemonic
  Unsupported = -11,     ///< not part of this build (SPV_WITH_SECRETS=OFF)
  InvalidProof = -12,    ///< invalid proof
  Budget = -13,          ///< the byte budget is used up
  Internal = -14,        ///< a bug in the library: please report it
  Timeout = -15,         ///< the sync timed out; everything verified is saved
  Clock = -16,           ///< this machine's clock is behind the chain: set the clock
  Refused = -17,         ///< the payment is not made: funds, fee, dust, a coin that is not free; nothing was sent
  InvalidPsbt = -18,     ///< invalid PSBT or transaction, or signatures are missing
};

/// A code for programs, and one line of text that says what is wrong and what to do.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
};

/// A value or an error. Reading the wrong one is a bug in the caller and aborts.
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
  /// The error; only if there is no value.
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

/// Success or an error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  /// True on success.
  explicit operator bool() const { return !error_.has_value(); }
  /// The error; only on failure.
  [[nodiscard]] const Error& error() const {
    if (!error_) std::abort();
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace spv
