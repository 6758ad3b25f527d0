// Guarded<T>: a value and the mutex that guards it. The value is reached through a lock only, so that no function needs
// a comment that says who holds what.
#pragma once

#include <mutex>
#include <utility>

namespace spv::client {

template <typename T, typename Mutex = std::mutex>
class Guarded {
 public:
  /// The value, as long as this lives. Whoever needs the value for a part of the work takes a `T&` from here.
  class Lock {
   public:
    [[nodiscard]] T* operator->() const { return value_; }
    [[nodiscard]] T& operator*() const { return *value_; }

   private:
    friend class Guarded;
    Lock(T& value, Mutex& mutex) : hold_(mutex), value_(&value) {}

    std::unique_lock<Mutex> hold_;
    T* value_;
  };

  /// With what T is made of.
  template <typename... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() = default;

  /// Waits until nobody else has it. An unnamed lock is held to the end of the whole statement: what that calls must
  /// not lock again.
  [[nodiscard]] Lock lock() { return Lock(value_, mutex_); }

 private:
  T value_;
  Mutex mutex_;
};

}  // namespace spv::client
