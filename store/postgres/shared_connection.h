// SharedConnection: one connection for several threads, one at a time, that is made when it is needed and made again
// after it broke.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "store/postgres/connection.h"

namespace spv::store::postgres {

class SharedConnection {
 public:
  SharedConnection(DatabaseUrl url, const ConnectOptions& options) : url_(std::move(url)), options_(options) {}

  /// Runs it with the connection. Throws what it throws, and Unreachable where there is no server.
  template <typename Action>
  auto use(Action action) {
    const std::lock_guard lock(mutex_);
    return action(ready());
  }
  /// The same for what only reads: where a connection from earlier turns out to be broken, as after a restart of the
  /// server, once more on a new one.
  template <typename Action>
  auto read(Action action) {
    const std::lock_guard lock(mutex_);
    const bool is_old = connection_ && !connection_->broken();
    try {
      return action(ready());
    } catch (const StoreError& error) {
      if (error.kind() != StoreError::Kind::Unreachable || !is_old) throw;
      connection_.reset();
    }
    return action(ready());
  }

 private:
  Connection& ready() {
    if (!connection_ || connection_->broken()) connection_.emplace(url_, options_);
    return *connection_;
  }

  DatabaseUrl url_;
  ConnectOptions options_;
  std::mutex mutex_;
  std::optional<Connection> connection_;
};

}  // namespace spv::store::postgres
