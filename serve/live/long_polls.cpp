#include "serve/live/long_polls.h"

#include <algorithm>
#include <vector>

namespace spv::serve {

EventList list_from(const EventRing& ring, const EventQuery& query, store::Seq after) {
  EventList list;
  for (auto each = ring.above(after); each != ring.end() && list.size() < query.limit; ++each) {
    if (matches(*each, query.wallet)) list.add(*each);
  }
  return list;
}

LongPolls::LongPolls(boost::asio::io_context& io, const EventRing& ring)
    : ring_(ring),
      mailbox_(std::make_shared<Mailbox>(io)),
      timer_(io),
      sweep_(io, [this](ClientId from) { return visit(from); }) {}

void LongPolls::hold(const EventQuery& query, store::Seq after, TimePoint deadline, Reply reply) {
  const ClientId id = ++last_id_;
  auto& poll = polls_.emplace(id, Poll{.query = query, .after = after, .deadline = deadline, .reply = std::move(reply)})
                   .first->second;
  count_ = polls_.size();
  deadlines_.emplace(deadline, id);
  set_timer();
  // Not at once, even if it has gone already: the poll is still being put together here.
  poll.reply.on_gone([mailbox = mailbox_, weak = weak_from_this(), id] {
    mailbox->post([weak, id] {
      if (const auto self = weak.lock()) self->forget(id);
    });
  });
}

void LongPolls::answer_all(const Response& response) {
  while (!polls_.empty()) finish(polls_.begin(), response);
}

std::optional<Response> LongPolls::answer_now(const Poll& poll) const {
  // After a burst the ring may have lost what comes next; the client asks again, and is served from the store.
  if (!ring_.covers(poll.after)) return EventList().response(poll.after);
  auto list = list_from(ring_, poll.query, poll.after);
  if (list.empty()) return std::nullopt;
  return std::move(list).response(0);
}

ClientId LongPolls::visit(ClientId from) {
  const auto poll = polls_.lower_bound(from);
  if (poll == polls_.end()) return 0;
  const ClientId id = poll->first;
  if (auto response = answer_now(poll->second)) {
    finish(poll, std::move(*response));
  } else {
    poll->second.after = std::max(poll->second.after, ring_.newest());
  }
  return id;
}

void LongPolls::finish(Polls::iterator poll, Response response) {
  Reply reply = std::move(poll->second.reply);
  forget(poll->first);
  reply.send(std::move(response));
}

void LongPolls::forget(ClientId id) {
  const auto poll = polls_.find(id);
  if (poll == polls_.end()) return;
  deadlines_.erase({poll->second.deadline, id});
  polls_.erase(poll);
  count_ = polls_.size();
  if (!polls_.empty()) return;
  // What waits on the loop keeps it from coming to its end.
  timer_.cancel();
  timer_at_ = TimePoint::max();
}

void LongPolls::set_timer() {
  if (deadlines_.empty() || deadlines_.begin()->first >= timer_at_) return;
  timer_at_ = deadlines_.begin()->first;
  timer_.expires_at(timer_at_);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!error && self) self->end_those_due();
  });
}

void LongPolls::end_those_due() {
  timer_at_ = TimePoint::max();
  const auto now = std::chrono::steady_clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto poll = polls_.find(deadlines_.begin()->second);
    auto response = answer_now(poll->second);
    if (!response) response = EventList().response(std::max(poll->second.after, ring_.newest()));
    finish(poll, std::move(*response));
  }
  set_timer();
}

}  // namespace spv::serve
