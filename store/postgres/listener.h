// Listener: waits for NOTIFY on a connection of its own. A notification only says that there is something to read; who
// waits looks after each time-out too, because one that is sent while the connection is being made again is lost.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "store/file_descriptor.h"
#include "store/postgres/connection.h"

namespace spv::store::postgres {

class Listener {
 public:
  struct Heard {
    std::vector<Notification> notifications;
    bool woken = false;  // by wake()
  };

  Listener(Connection connection, const std::vector<std::string>& channels);

  /// Returns when something is notified or wake() was called since the last time, at the latest after `timeout`. Throws
  /// Unreachable when the connection breaks; then make a new Listener.
  Heard wait(std::chrono::milliseconds timeout);
  /// From any thread, or from a signal handler.
  void wake() noexcept;
  [[nodiscard]] bool broken() const { return connection_.broken(); }

 private:
  /// Whether wake() was called; forgets it.
  bool take_wake();

  Connection connection_;
  FileDescriptor wake_;
};

}  // namespace spv::store::postgres
