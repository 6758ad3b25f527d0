// EventFeed: the events of a store for all clients that wait for them: long polls (GET /v1/events) and streams
// (GET /v1/events/stream).
//
// One thread waits on the store for all clients together, and renders each event once. Clients that are far behind are
// served from the store by a small pool of threads. Everything else happens on the server's thread, without locks.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "store/store.h"
#include "util/log.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve {

struct Request;
class Reply;

struct FeedOptions {
  /// How much of the log is kept in memory, rendered.
  std::size_t kept_events = 4'096;
  std::size_t kept_bytes = 8U << 20U;
  /// A comment line goes to each stream this often, so that both sides notice a dead connection.
  std::chrono::milliseconds comment_every{15'000};
  /// How much a stream may have waiting to be sent before it gets no more for now.
  std::size_t stream_bytes = 65'536;
  /// A stream that does not take what waits for this long is cut off.
  std::chrono::milliseconds patience{10'000};
  /// Threads that read the store for clients that are far behind.
  std::size_t readers = 2;
  /// How soon the store is tried again after an error.
  std::chrono::milliseconds retry_after{1'000};
};

/// From any thread, for the metrics and /readyz.
struct FeedStats {
  store::Seq newest = 0;
  std::size_t streams = 0;
  std::size_t polls = 0;
  bool store_up = true;  // the last time that the feed looked
};

class EventFeed {
 public:
  /// The JSON of an event, from any thread.
  using Render = std::function<std::string(const store::LoggedEvent&)>;

  /// `io` is the server's; the store must outlive the feed.
  EventFeed(boost::asio::io_context& io, store::Store& store, Render render, util::LogSink log,
            const FeedOptions& options = {});
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;
  /// Stops.
  ~EventFeed();

  /// Until then, and while the store is away, requests are answered by 503.
  void start();
  /// From any thread. Polls that wait are answered by 503, streams end with a comment. Returns when the threads have
  /// ended, within about a second if the store answers.
  void stop();

  /// Both on the server's thread.
  void list(const Request& request, Reply reply);
  void stream(const Request& request, Reply reply);

  [[nodiscard]] FeedStats stats() const;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace spv::serve
