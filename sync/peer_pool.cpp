#include "sync/peer_pool.h"

#include <algorithm>

namespace spv::sync {

std::string to_string(const PeerAddress& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

PeerPool::PeerPool(std::vector<PeerAddress> addresses, bool persistent) : persistent_(persistent) {
  for (auto& address : addresses) {
    Candidate candidate;
    candidate.address = std::move(address);
    candidates_.push_back(std::move(candidate));
  }
}

void PeerPool::connect_due(util::Now now, Outbox& out) {
  for (auto& candidate : candidates_) {
    if (candidate.current || candidate.given_up || now.monotonic < candidate.next_attempt) continue;
    const PeerId id = next_id_++;
    candidate.current = id;
    Peer peer;
    peer.id = id;
    peer.address = candidate.address;
    peer.connect_deadline = now.monotonic + kConnectTimeout;
    peers_.emplace(id, std::move(peer));
    out.connect(id, candidate.address);
  }
}

void PeerPool::on_connected(PeerId id, std::uint64_t nonce, util::Now now, Outbox& out) {
  Peer* peer = find(id);
  if (peer == nullptr) return;
  peer->connected = true;
  peer->session.emplace(nonce, now);
  out.send(id, peer->session->our_version(now));
}

void PeerPool::on_lost(PeerId id, std::string error, std::optional<DisconnectReason> reason, util::Now now) {
  peers_.erase(id);
  Candidate* candidate = candidate_of(id);
  if (candidate == nullptr) return;
  candidate->current.reset();
  candidate->error = std::move(error);
  candidate->reason = reason;
  candidate->banned = reason && is_misbehaviour(*reason);
  ++candidate->failures;
  const bool unfit = reason == DisconnectReason::NoBloomFilters || reason == DisconnectReason::SelfConnection ||
                     reason == DisconnectReason::ProtocolTooOld || reason == DisconnectReason::NoFullBlocks ||
                     reason == DisconnectReason::ContradictoryProofs;
  const bool behind = reason == DisconnectReason::BlocksNotServed || reason == DisconnectReason::TooLittleWork;
  candidate->given_up = candidate->banned || unfit || (!persistent_ && (behind || candidate->failures >= kMaxAttempts));
  const unsigned doublings = std::min(candidate->failures - 1, 6U);
  candidate->next_attempt = now.monotonic + std::min(kFirstRetry * (1U << doublings), kLongestRetry);
}

Peer* PeerPool::find(PeerId id) {
  const auto found = peers_.find(id);
  return found == peers_.end() ? nullptr : &found->second;
}

PeerPool::Candidate* PeerPool::candidate_of(PeerId id) {
  const auto found =
      std::find_if(candidates_.begin(), candidates_.end(), [id](const Candidate& c) { return c.current == id; });
  return found == candidates_.end() ? nullptr : &*found;
}

bool PeerPool::exhausted() const {
  return peers_.empty() &&
         std::all_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.given_up; });
}

bool PeerPool::any_lacked_bloom() const {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [](const Candidate& c) { return c.reason == DisconnectReason::NoBloomFilters; });
}

bool PeerPool::any_lacked_blocks() const {
  return std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) {
    return c.reason == DisconnectReason::BlocksNotServed || c.reason == DisconnectReason::Lagging ||
           c.reason == DisconnectReason::TooLittleWork;
  });
}

std::string PeerPool::errors() const {
  std::string text;
  for (const auto& candidate : candidates_) {
    if (candidate.error.empty()) continue;
    text += (text.empty() ? "" : "; ") + to_string(candidate.address) + ": " + candidate.error;
  }
  return text;
}

std::vector<PeerSummary> PeerPool::summaries() const {
  std::vector<PeerSummary> out;
  for (const auto& candidate : candidates_) {
    if (candidate.user_agent.empty()) continue;  // never got to know it
    out.push_back({candidate.address, candidate.user_agent, candidate.banned, candidate.error});
  }
  return out;
}

std::optional<util::TimePoint> PeerPool::next_deadline() const {
  std::optional<util::TimePoint> next;
  const auto consider = [&next](util::TimePoint at) {
    if (!next || at < *next) next = at;
  };
  for (const auto& candidate : candidates_) {
    if (!candidate.current && !candidate.given_up) consider(candidate.next_attempt);
  }
  for (const auto& [id, peer] : peers_) {
    if (!peer.connected) consider(peer.connect_deadline);
    if (peer.session && peer.session->next_deadline()) consider(*peer.session->next_deadline());
    if (peer.headers_deadline) consider(*peer.headers_deadline);
  }
  return next;
}

void PeerPool::note_user_agent(const Peer& peer) {
  Candidate* candidate = candidate_of(peer.id);
  if (candidate == nullptr || peer.session->remote() == nullptr) return;
  candidate->user_agent = p2p::printable(peer.session->remote()->user_agent);
}

void PeerPool::note_progress(PeerId id) {
  if (Candidate* candidate = candidate_of(id)) candidate->failures = 0;
}

}  // namespace spv::sync
