// Broadcasts: requests that wait to hear what the network did with a transaction.
#pragma once

#include <map>
#include <mutex>
#include <spv/types.h>
#include <string>
#include <vector>

#include "serve/http/reply.h"
#include "util/time.h"

namespace spv::serve {

class Broadcasts {
 public:
  /// Longer than the engine waits for evidence.
  static constexpr util::Duration kLongestWait = std::chrono::seconds(45);

  /// Before it is sent: the answer may come at once. Give the number to cancel().
  std::uint64_t expect(const std::string& txid, Reply reply, util::TimePoint now);
  /// It was not sent after all: gives the reply back.
  std::optional<Reply> cancel(const std::string& txid, std::uint64_t number);
  /// From the thread that syncs.
  void on(const BroadcastEvent& event);
  /// Answers those who have waited too long with what is known. Once a second.
  void sweep(util::TimePoint now);
  /// The server ends.
  void drop_all();

 private:
  struct Waiting {
    std::uint64_t number = 0;
    Reply reply;
    util::TimePoint since{};
    BroadcastState state = BroadcastState::Uncertain;
    std::uint32_t peers_accepted = 0;
  };
  static void answer(const std::string& txid, Waiting& waiting);

  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::string, std::vector<Waiting>> waiting_;
};

}  // namespace spv::serve
