// FeeBoard: what peers say about fees, asked for at most once a minute, and the requests that wait for it.
#pragma once

#include <mutex>
#include <vector>

#include "client/backend.h"
#include "serve/http/reply.h"

namespace spv::serve {

class FeeBoard {
 public:
  /// What was said serves this long.
  static constexpr util::Duration kFresh = std::chrono::seconds(60);
  /// Then it is answered with what is known, old or nothing.
  static constexpr util::Duration kLongestWait = std::chrono::seconds(15);

  /// Both outlive it.
  FeeBoard(Client& client, client::Backend& backend) : client_(client), backend_(backend) {}

  /// May block for a moment.
  void answer(Reply reply, util::TimePoint now);
  /// The peers have answered. From the thread that syncs: `deliver` must be called from another one.
  void on_fees() { came_ = true; }
  /// Answers those who wait, if the peers have answered or they have waited too long. Often, where it may block.
  void deliver(util::TimePoint now);
  void drop_all();

 private:
  [[nodiscard]] Response response() const;

  struct Waiting {
    Reply reply;
    util::TimePoint since{};
  };

  Client& client_;
  client::Backend& backend_;
  std::atomic<bool> came_ = false;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
};

}  // namespace spv::serve
