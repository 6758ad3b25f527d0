#include "serve/live/feed_core.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "serve/live/event_answers.h"

namespace spv::serve {

FeedCore::FeedCore(boost::asio::io_context& io, store::Store& store, const RenderEvent& render, util::LogSink log,
                   const FeedOptions& options)
    : io_(io),
      ring_(options.kept_events, options.kept_bytes),
      reader_(io, store, render, options.readers),
      polls_(std::make_shared<LongPolls>(io, ring_)),
      streams_(std::make_shared<EventStreams>(io, ring_, reader_,
                                              EventStreams::Options{.comment_every = options.comment_every,
                                                                    .retry_after = options.retry_after,
                                                                    .patience = options.patience,
                                                                    .page_bytes = options.page_bytes})),
      watch_(store, render, [this](EventNews news) { post_news(std::move(news)); }, std::move(log),
             {.backlog = options.kept_events, .look_every = options.look_every, .retry_after = options.retry_after}) {}

void FeedCore::stop() {
  watch_.stop();
  reader_.stop();
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end_clients();
  });
}

FeedStats FeedCore::stats() const {
  return {.newest = newest_, .streams = streams_->count(), .polls = polls_->count(), .store_up = store_up_};
}

void FeedCore::post_news(EventNews news) {
  boost::asio::post(io_, [weak = weak_from_this(), news = std::move(news)]() mutable {
    if (const auto self = weak.lock()) self->take(std::move(news));
  });
}

void FeedCore::take(EventNews news) {
  if (news.restart) ring_.restart(*news.restart);
  if (listener_ && news.restart) listener_({});
  if (listener_ && !news.events.empty()) listener_(news.events);
  for (auto& each : news.events) ring_.append(std::move(each));
  oldest_ = news.restart ? news.oldest : std::max(oldest_, news.oldest);
  // Events that are read anew are not the newest ones.
  newest_ = std::max({newest_.load(), ring_.newest(), oldest_ - 1});
  store_up_ = news.store_up;
  watch_.taken();
  if (!news.store_up) return polls_->answer_all(store_away_response());
  polls_->wake();
  streams_->wake();
}

void FeedCore::end_clients() {
  ended_ = true;
  polls_->answer_all(stopping_response());
  streams_->close_all("the server is shutting down");
}

std::optional<store::Seq> FeedCore::place_in_ring(const EventQuery& query) const {
  if (!query.after && oldest_ == 0) return std::nullopt;
  const store::Seq after = query.after.value_or(oldest_ - 1);
  return ring_.covers(after) ? std::optional(after) : std::nullopt;
}

std::optional<Response> FeedCore::refusal(const EventQuery& query) const {
  if (ended_) return stopping_response();
  if (query.after && *query.after < oldest_ - 1) return gone_response(oldest_);
  return std::nullopt;
}

void FeedCore::list(const EventQuery& query, Reply reply) {
  list_until(std::chrono::steady_clock::now() + query.wait, query, std::move(reply));
}

void FeedCore::list_until(TimePoint deadline, EventQuery query, Reply reply) {
  if (auto refused = refusal(query)) return reply.send(std::move(*refused));
  const auto place = place_in_ring(query);
  if (!place) return list_from_store(deadline, query, std::move(reply));
  auto list = list_from(ring_, query, *place);
  if (!list.empty()) return reply.send(std::move(list).response(0));
  if (!store_up_) return reply.send(store_away_response());
  const store::Seq looked_at = std::max(*place, ring_.newest());
  if (std::chrono::steady_clock::now() < deadline) {
    query.after = looked_at;
    return polls_->hold(query, looked_at, deadline, std::move(reply));
  }
  // The watch may be a moment behind: the store says whether there is really nothing. Who asks for all that is kept has
  // missed nothing, whatever is pruned meanwhile.
  if (query.after) query.after = looked_at;
  list_from_store(deadline, query, std::move(reply));
}

void FeedCore::list_from_store(TimePoint deadline, const EventQuery& query, Reply reply) {
  const auto shared = std::make_shared<Reply>(std::move(reply));
  reader_.read({.after = query.after, .wallet = query.wallet, .limit = query.limit},
               [weak = weak_from_this(), deadline, query, shared](const PageResult& result) {
                 if (const auto self = weak.lock()) self->take_list_page(deadline, query, std::move(*shared), result);
               });
}

void FeedCore::take_list_page(TimePoint deadline, EventQuery query, Reply reply, const PageResult& result) {
  if (!result) return reply.send(store_away_response());
  oldest_ = std::max(oldest_, result->oldest);
  if (result->gone) return reply.send(gone_response(result->oldest));
  EventList list;
  for (const auto& each : result->events) list.add(each);
  if (!list.empty() || std::chrono::steady_clock::now() >= deadline) {
    return reply.send(std::move(list).response(result->next));
  }
  query.after = result->next;
  list_until(deadline, std::move(query), std::move(reply));
}

void FeedCore::stream(const EventQuery& query, Reply reply) {
  if (auto refused = refusal(query)) return reply.send(std::move(*refused));
  const auto place = place_in_ring(query);
  if (!place) return stream_from_store(query, std::move(reply));
  streams_->open(*place, query.wallet, std::move(reply));
}

void FeedCore::stream_from_store(const EventQuery& query, Reply reply) {
  const auto shared = std::make_shared<Reply>(std::move(reply));
  reader_.read({.after = query.after, .wallet = query.wallet, .limit = query.limit},
               [weak = weak_from_this(), query, shared](const PageResult& result) {
                 if (const auto self = weak.lock()) self->take_stream_page(query, std::move(*shared), result);
               });
}

void FeedCore::take_stream_page(const EventQuery& query, Reply reply, const PageResult& result) {
  if (ended_) return reply.send(stopping_response());
  if (!result) return reply.send(store_away_response());
  oldest_ = std::max(oldest_, result->oldest);
  if (result->gone) return reply.send(gone_response(result->oldest));
  streams_->open(query.after.value_or(0), query.wallet, std::move(reply), &*result);
}

}  // namespace spv::serve
