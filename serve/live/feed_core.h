// FeedCore: the part of the event feed that lives on the server's thread: it decides whether a request is answered from
// memory, from the store, or later.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>

#include "serve/http/reply.h"
#include "serve/http/request.h"
#include "serve/live/event_feed.h"
#include "serve/live/event_query.h"
#include "serve/live/event_ring.h"
#include "serve/live/event_streams.h"
#include "serve/live/event_watch.h"
#include "serve/live/long_polls.h"
#include "serve/live/page_reader.h"

namespace spv::serve {

class FeedCore : public std::enable_shared_from_this<FeedCore> {
 public:
  FeedCore(boost::asio::io_context& io, store::Store& store, const RenderEvent& render, util::LogSink log,
           const FeedOptions& options);

  // From any thread.
  void start() { watch_.start(); }
  void listen(std::function<void(std::span<const RenderedEvent>)> listener) { listener_ = std::move(listener); }
  void stop();
  [[nodiscard]] FeedStats stats() const;

  // On the loop's thread.
  void list(const EventQuery& query, Reply reply);
  void stream(const EventQuery& query, Reply reply);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void post_news(EventNews news);
  void take(EventNews news);
  void end_clients();
  /// Where the client is, if the ring has all above it.
  [[nodiscard]] std::optional<store::Seq> place_in_ring(const EventQuery& query) const;
  /// The answer to those that cannot be served, by what is known here.
  [[nodiscard]] std::optional<Response> refusal(const EventQuery& query) const;
  void list_until(TimePoint deadline, EventQuery query, Reply reply);
  void list_from_store(TimePoint deadline, const EventQuery& query, Reply reply);
  void take_list_page(TimePoint deadline, EventQuery query, Reply reply, const PageResult& result);
  void stream_from_store(const EventQuery& query, Reply reply);
  void take_stream_page(const EventQuery& query, Reply reply, const PageResult& result);

  boost::asio::io_context& io_;
  std::function<void(std::span<const RenderedEvent>)> listener_;
  EventRing ring_;
  PageReader reader_;
  std::shared_ptr<LongPolls> polls_;
  std::shared_ptr<EventStreams> streams_;
  EventWatch watch_;
  store::Seq oldest_ = 0;  // the first event that is kept, when the watch looked last
  bool ended_ = false;
  std::atomic<bool> store_up_{false};
  std::atomic<store::Seq> newest_{0};
};

}  // namespace spv::serve
