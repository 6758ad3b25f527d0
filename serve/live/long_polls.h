// LongPolls: requests for events that wait for one to come.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serve/http/mailbox.h"
#include "serve/http/reply.h"
#include "serve/live/event_answers.h"
#include "serve/live/event_query.h"
#include "serve/live/event_ring.h"
#include "serve/live/sweep.h"

namespace spv::serve {

/// On the loop's thread only.
class LongPolls : public std::enable_shared_from_this<LongPolls> {
 public:
  LongPolls(boost::asio::io_context& io, const EventRing& ring);
  LongPolls(const LongPolls&) = delete;
  LongPolls& operator=(const LongPolls&) = delete;
  ~LongPolls() { mailbox_->close(); }

  /// Until an event above `after` comes, or the deadline. The ring covers `after` and has no such event yet.
  void hold(const EventQuery& query, store::Seq after, std::chrono::steady_clock::time_point deadline, Reply reply);
  /// The ring has more.
  void wake() { sweep_.start(); }
  /// All that wait get this answer.
  void answer_all(const Response& response);
  /// From any thread.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Poll {
    EventQuery query;
    store::Seq after = 0;
    TimePoint deadline;
    Reply reply;
  };
  using Polls = std::map<ClientId, Poll>;

  [[nodiscard]] std::optional<Response> answer_now(const Poll& poll) const;
  [[nodiscard]] ClientId visit(ClientId from);
  void finish(Polls::iterator poll, Response response);
  void forget(ClientId id);
  void set_timer();
  void end_those_due();

  const EventRing& ring_;
  std::shared_ptr<Mailbox> mailbox_;
  boost::asio::steady_timer timer_;
  Sweep sweep_;
  Polls polls_;
  std::set<std::pair<TimePoint, ClientId>> deadlines_;
  TimePoint timer_at_ = TimePoint::max();
  std::atomic<std::size_t> count_{0};
  ClientId last_id_ = 0;
};

/// What the ring has above `after` for this query.
EventList list_from(const EventRing& ring, const EventQuery& query, store::Seq after);

}  // namespace spv::serve
