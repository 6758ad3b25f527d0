#include "serve/api/broadcasts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json.hpp>

#include "serve/api/answers.h"

namespace spv::serve {
namespace {

/// What has no evidence yet is uncertain: that a peer was told is not known to have come to anything.
const char* state_text(BroadcastState state) {
  switch (state) {
    case BroadcastState::Fetched:
      return "fetched";
    case BroadcastState::Accepted:
    case BroadcastState::Confirmed:
      return "accepted";
    case BroadcastState::Uncertain:
    case BroadcastState::Announced:
      break;
  }
  return "uncertain";
}

}  // namespace

std::uint64_t Broadcasts::expect(const std::string& txid, Reply reply, util::TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = next_++;
  waiting_[txid].push_back({number, std::move(reply), now});
  return number;
}

std::optional<Reply> Broadcasts::cancel(const std::string& txid, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(txid);
  if (found == waiting_.end()) return std::nullopt;
  const auto one = std::ranges::find(found->second, number, &Waiting::number);
  if (one == found->second.end()) return std::nullopt;
  Reply reply = std::move(one->reply);
  found->second.erase(one);
  if (found->second.empty()) waiting_.erase(found);
  return reply;
}

void Broadcasts::answer(const std::string& txid, Waiting& waiting) {
  waiting.reply.send(json_response(boost::json::object{
      {"txid", txid}, {"state", state_text(waiting.state)}, {"peers_accepted", waiting.peers_accepted}}));
}

void Broadcasts::on(const BroadcastEvent& event) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(event.txid);
  if (found == waiting_.end()) return;
  const bool known = event.final || event.state >= BroadcastState::Accepted;
  for (auto& waiting : found->second) {
    waiting.state = event.state;
    waiting.peers_accepted = event.peers_accepted;
    if (known) answer(event.txid, waiting);
  }
  if (known) waiting_.erase(found);
}

void Broadcasts::sweep(util::TimePoint now) {
  const std::lock_guard lock(mutex_);
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    auto& [txid, all] = *it;
    const auto late = [&](const Waiting& waiting) { return now - waiting.since >= kLongestWait; };
    for (auto& waiting : all) {
      if (late(waiting)) answer(txid, waiting);
    }
    std::erase_if(all, late);
    it = all.empty() ? waiting_.erase(it) : std::next(it);
  }
}

void Broadcasts::drop_all() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

}  // namespace spv::serve
