// EventCommand: runs the user's command for each event of `spv sync --follow --exec`, one after the other and in order,
// on a thread beside the sync. The command reads the event from its stdin; what it writes to stdout goes to our stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "client/sync_values.h"

namespace spv::cli {

class EventCommand {
 public:
  /// Events that wait for their turn. More are lost, and that is said.
  static constexpr std::size_t kMaxWaiting = 100'000;
  /// How long the events that still wait at the end have.
  static constexpr std::chrono::seconds kLastWait{10};

  EventCommand(std::string command, std::string wallet);
  EventCommand(const EventCommand&) = delete;
  EventCommand& operator=(const EventCommand&) = delete;
  /// As finish().
  ~EventCommand();

  /// Takes an event; the command runs at once or in its turn. Never blocks.
  void push(const client::SyncEvent& event);
  /// The sync is over: waits until all events are handed over, but not for long, and says what is left. A command that
  /// still runs is left alone.
  void finish(std::chrono::milliseconds limit = kLastWait);

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;  // the thread's too, which may outlast us
  std::thread worker_;
};

}  // namespace spv::cli
