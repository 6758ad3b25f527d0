#include "serve/api/fee_board.h"

#include <utility>

#include <boost/json.hpp>

#include "report/fees.h"
#include "serve/api/answers.h"

namespace spv::serve {

Response FeeBoard::response() const {
  const auto fees = backend_.fees();
  return json_response(report::fees_json(fees ? fees->known : client::FeesKnown{}));
}

void FeeBoard::answer(Reply reply, util::TimePoint now) {
  const auto fees = backend_.fees();
  if (fees && fees->age <= kFresh) return reply.send(response());
  {
    // Before they are asked: the answer may come at once.
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(reply), now});
  }
  if (client_.request_fees()) return;
  came_ = true;  // nobody can be asked
  deliver(now);
}

void FeeBoard::deliver(util::TimePoint now) {
  const bool came = came_.exchange(false);
  std::vector<Waiting> due;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Waiting> rest;
    for (auto& each : waiting_) {
      auto& place = came || now - each.since >= kLongestWait ? due : rest;
      place.push_back(std::move(each));
    }
    waiting_ = std::move(rest);
  }
  for (auto& each : due) each.reply.send(response());
}

void FeeBoard::drop_all() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

}  // namespace spv::serve
