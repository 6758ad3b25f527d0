#include "serve/live/event_feed.h"

#include <utility>

#include "serve/live/feed_core.h"

namespace spv::serve {

// NOLINTNEXTLINE(performance-unnecessary-value-param): the core keeps its own
EventFeed::EventFeed(boost::asio::io_context& io, store::Store& store, RenderEvent render, util::LogSink log,
                     const FeedOptions& options)
    : core_(std::make_shared<FeedCore>(io, store, render, std::move(log), options)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): without memory to end in order, the program ends
EventFeed::~EventFeed() { stop(); }

void EventFeed::listen(std::function<void(std::span<const RenderedEvent>)> listener) {
  core_->listen(std::move(listener));
}

void EventFeed::start() { core_->start(); }

void EventFeed::stop() { core_->stop(); }

void EventFeed::list(const Request& request, Reply reply) {
  const auto query = parse_list_query(request);
  if (!query) return reply.send(query.error());
  core_->list(*query, std::move(reply));
}

void EventFeed::stream(const Request& request, Reply reply) {
  const auto query = parse_stream_query(request);
  if (!query) return reply.send(query.error());
  core_->stream(*query, std::move(reply));
}

FeedStats EventFeed::stats() const { return core_->stats(); }

}  // namespace spv::serve
