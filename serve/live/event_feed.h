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
#include <span>

#include "serve/live/rendered_event.h"
#include "store/store.h"
#include "util/log.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve {

struct Request;
class Reply;
class FeedCore;

struct FeedOptions {
  /// How much of the log is kept in memory, rendered.
  std::size_t kept_events = 4'096;
  std::size_t kept_bytes = 8U << 20U;
  /// A comment line goes to each stream this often, so that both sides notice a dead connection.
  std::chrono::milliseconds comment_every{15'000};
  /// A stream that is behind gets about this much at a time, and more when that is sent. Well below the limit of a
  /// stream's queue.
  std::size_t page_bytes = 65'536;
  /// One that does not take a page for this long is cut off with the next comment.
  std::chrono::milliseconds patience{10'000};
  /// Threads that read the store for clients that are far behind.
  std::size_t readers = 2;
  /// How long the thread waits on the store at a time: pruned events are noticed so late.
  std::chrono::milliseconds look_every{1'000};
  /// How soon the store is tried again after an error.
  std::chrono::milliseconds retry_after{1'000};
};

/// From any thread, for the metrics and /readyz.
struct FeedStats {
  store::Seq newest = 0;
  std::size_t streams = 0;
  std::size_t polls = 0;
  bool store_up = false;  // the last time that the feed looked
};

class EventFeed {
 public:
  /// `io` is the server's, and is run by one thread; it and the store must outlive the feed. The log is called from
  /// other threads.
  EventFeed(boost::asio::io_context& io, store::Store& store, RenderEvent render, util::LogSink log,
            const FeedOptions& options = {});
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;
  /// Stops. On the thread that runs `io`, or after it has stopped running.
  ~EventFeed();

  /// Called on the server's thread with events as they come; with none where they begin anew. Before start().
  void listen(std::function<void(std::span<const RenderedEvent>)> listener);
  /// Until then, and while the store is away, requests are answered by 503.
  void start();
  /// From any thread. Polls that wait are answered by 503, streams end with a comment. Returns when the threads have
  /// ended, which is at once if the store answers.
  void stop();

  /// Both on the server's thread.
  void list(const Request& request, Reply reply);
  void stream(const Request& request, Reply reply);

  [[nodiscard]] FeedStats stats() const;

 private:
  std::shared_ptr<FeedCore> core_;
};

}  // namespace spv::serve
