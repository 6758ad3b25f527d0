#include "sync/peers/peer_pool.h"

#include <algorithm>

namespace spv::sync {

std::string to_string(const PeerAddress& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool Peer::offers_bloom() const { return (session->remote()->services & p2p::services::kBloom) != 0; }

bool Peer::offers_compact_filters() const {
  return (session->remote()->services & p2p::services::kCompactFilters) != 0;
}

PeerPool::PeerPool(std::vector<PeerAddress> addresses, bool persistent, std::optional<BookUse> book,
                   util::Duration connect_timeout)
    : persistent_(persistent), connect_timeout_(connect_timeout) {
  if (book) dialer_.emplace(std::move(*book), persistent);
  for (auto& address : addresses) {
    Candidate candidate;
    candidate.address = std::move(address);
    candidates_.push_back(std::move(candidate));
  }
}

void PeerPool::connect_due(util::Now now, util::Rng& rng, Outbox& out) {
  if (dialer_) choose_from_book(now, rng, out);
  for (auto& candidate : candidates_) {
    if (!candidate.current && !candidate.given_up && now.monotonic >= candidate.next_attempt) {
      connect(candidate, now, out);
    }
  }
}

Peer& PeerPool::connect(Candidate& candidate, util::Now now, Outbox& out) {
  const PeerId id = next_id_++;
  candidate.current = id;
  Peer peer;
  peer.id = id;
  peer.address = candidate.address;
  peer.connect_deadline = now.monotonic + connect_timeout_;
  out.connect(id, candidate.address);
  return peers_.emplace(id, std::move(peer)).first->second;
}

std::optional<PeerId> PeerPool::dial_stranger(util::Now now, util::Rng& rng, Outbox& out) {
  const auto named = std::find_if(candidates_.begin(), candidates_.end(), [](const Candidate& c) {
    return !c.from_book && !c.current && c.reason == DisconnectReason::NoBloomFilters;
  });
  if (named != candidates_.end()) return connect(*named, now, out).id;
  if (!dialer_) return std::nullopt;
  auto stranger = dialer_->choose_stranger(in_use(), now, rng);
  if (!stranger) return std::nullopt;
  Candidate& candidate = candidates_.emplace_back();
  candidate.address = std::move(*stranger);
  candidate.from_book = true;
  return connect(candidate, now, out).id;
}

// What came of it says nothing of how the node serves, unless it broke the rules.
void PeerPool::on_stranger_lost(PeerId id, const std::string& error, std::optional<DisconnectReason> reason,
                                util::Now now, util::Rng& rng) {
  Candidate* candidate = take_out(id);
  if (candidate == nullptr) return;
  candidate->given_up = true;
  if (!candidate->from_book) return;
  if (reason && is_misbehaviour(*reason)) {
    candidate->banned = true;
    dialer_->on_lost(candidate->address, error, reason, {.served = false, .others_reached = true}, now, rng);
  }
  forget_surplus();
}

std::vector<PeerAddress> PeerPool::in_use() const {
  std::vector<PeerAddress> addresses;
  addresses.reserve(peers_.size());
  for (const auto& [id, peer] : peers_) addresses.push_back(peer.address);
  return addresses;
}

std::size_t PeerPool::makeshift_places() const {
  return turned_away_ < kMostTurnedAway ? dialer_->wanted() / 2 : dialer_->wanted();
}

bool PeerPool::keep_makeshift(PeerId id) {
  Peer* peer = find(id);
  const Candidate* candidate = candidate_of(id);
  if (peer == nullptr || candidate == nullptr || !candidate->from_book) return true;
  const auto makeshift = std::ranges::count_if(peers_, [](const auto& item) { return item.second.makeshift; });
  // One of them is better than nobody.
  peer->makeshift = static_cast<std::size_t>(makeshift) < std::max<std::size_t>(makeshift_places(), 1);
  if (!peer->makeshift) ++turned_away_;
  return peer->makeshift;
}

std::size_t PeerPool::places_taken() const {
  std::size_t others = 0;
  std::size_t makeshift = 0;
  for (const auto& [id, peer] : peers_) {
    if (peer.ready()) ++(peer.makeshift ? makeshift : others);
  }
  return others + std::min(makeshift, makeshift_places());
}

void PeerPool::choose_from_book(util::Now now, util::Rng& rng, Outbox& out) {
  for (auto& address : dialer_->choose(in_use(), places_taken(), now, rng, out)) {
    std::erase_if(candidates_, [&](const Candidate& c) { return c.from_book && c.address == address; });
    Candidate candidate;
    candidate.address = std::move(address);
    candidate.from_book = true;
    candidates_.push_back(std::move(candidate));
  }
}

void PeerPool::on_connected(PeerId id, std::uint64_t nonce, util::Now now, Outbox& out) {
  Peer* peer = find(id);
  if (peer == nullptr) return;
  peer->connected = true;
  peer->session.emplace(nonce, now);
  out.send(id, peer->session->our_version(now));
}

void PeerPool::on_ready(const Peer& peer, util::Now now, Outbox& out) {
  if (!dialer_) return;
  dialer_->on_ready(peer.address, peer.session->remote()->services, now);
  out.send(peer.id, p2p::GetAddr{});
}

void PeerPool::on_found(const PeersFound& found, util::Now now, util::Rng& rng) {
  if (dialer_) dialer_->on_found(found, now, rng);
}

void PeerPool::on_lost(PeerId id, std::string error, std::optional<DisconnectReason> reason, util::Now now,
                       util::Rng& rng) {
  const Peer* peer = find(id);
  const bool served = peer != nullptr && peer->ready();
  Candidate* candidate = take_out(id);
  if (candidate == nullptr) return;
  candidate->error = std::move(error);
  candidate->reason = reason;
  candidate->banned = reason && is_misbehaviour(*reason);
  if (candidate->from_book) {
    const bool others = std::any_of(peers_.begin(), peers_.end(), [](const auto& p) { return p.second.connected; });
    dialer_->on_lost(candidate->address, candidate->error, reason, {.served = served, .others_reached = others}, now,
                     rng);
    candidate->given_up = true;  // the book says when it is tried again
    return forget_surplus();
  }
  ++candidate->failures;
  const bool behind = reason == DisconnectReason::BlocksNotServed || reason == DisconnectReason::TooLittleWork ||
                      reason == DisconnectReason::OtherChain || reason == DisconnectReason::FiltersDisputed;
  candidate->given_up = candidate->banned || (reason && is_unfit(*reason)) ||
                        (!persistent_ && (behind || candidate->failures >= kMaxAttempts));
  const unsigned doublings = std::min(candidate->failures - 1, 6U);
  const auto pause = std::min(kFirstRetry * (1U << doublings), kLongestRetry);
  // Jitter, so that a node that comes back is not met by all its clients at once.
  const auto spread = static_cast<std::uint64_t>(pause.count() / 4);
  candidate->next_attempt = now.monotonic + pause - util::Duration(static_cast<util::Duration::rep>(rng.below(spread)));
}

PeerPool::Candidate* PeerPool::take_out(PeerId id) {
  peers_.erase(id);
  if (dialer_) dialer_->forget(id);
  Candidate* candidate = candidate_of(id);
  if (candidate != nullptr) candidate->current.reset();
  return candidate;
}

// The peers we met are listed at the end; a client that stays for months meets many.
void PeerPool::forget_surplus() {
  const auto idle = [](const Candidate& c) { return c.from_book && !c.current; };
  std::erase_if(candidates_, [&](const Candidate& c) { return idle(c) && c.user_agent.empty(); });
  const auto first = std::find_if(candidates_.begin(), candidates_.end(), idle);
  if (candidates_.size() > kMaxRemembered && first != candidates_.end()) candidates_.erase(first);
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

std::optional<util::TimePoint> PeerPool::waits_for_others(util::Now now) const {
  const util::TimePoint until = started_at_ + kConnectGrace;
  const bool waits = std::ranges::any_of(peers_, [](const auto& item) { return !item.second.ready(); });
  return waits && now.monotonic < until ? std::optional(until) : std::nullopt;
}

bool PeerPool::exhausted() const {
  return peers_.empty() && (!dialer_ || dialer_->exhausted()) &&
         std::all_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.given_up; });
}

bool PeerPool::any_lacked_bloom() const {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [](const Candidate& c) { return c.reason == DisconnectReason::NoBloomFilters; });
}

bool PeerPool::any_lacked_compact_filters() const {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [](const Candidate& c) { return c.reason == DisconnectReason::NoCompactFilters; });
}

bool PeerPool::any_lacked_blocks() const {
  return std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) {
    return c.reason == DisconnectReason::BlocksNotServed || c.reason == DisconnectReason::Lagging ||
           c.reason == DisconnectReason::TooLittleWork || c.reason == DisconnectReason::OtherChain;
  });
}

std::string PeerPool::errors() const {
  std::string text;
  if (dialer_) text = dialer_->errors();
  for (const auto& candidate : candidates_) {
    if (candidate.error.empty() || candidate.from_book) continue;
    text += (text.empty() ? "" : "; ") + to_string(candidate.address) + ": " + candidate.error;
  }
  return text;
}

std::vector<PeerSummary> PeerPool::summaries() const {
  std::vector<PeerSummary> out;
  for (const auto& candidate : candidates_) {
    if (candidate.user_agent.empty()) continue;  // never got to know it
    out.push_back({candidate.address, candidate.user_agent, candidate.banned, candidate.error, candidate.doubt});
  }
  return out;
}

std::vector<UnusedPeer> PeerPool::unused() const {
  std::vector<UnusedPeer> out;
  for (const auto& candidate : candidates_) {
    if (candidate.from_book) continue;
    const auto peer = candidate.current ? peers_.find(*candidate.current) : peers_.end();
    if (peer != peers_.end() && peer->second.ready()) continue;
    out.push_back({candidate.address, candidate.error.empty() ? "no answer" : candidate.error});
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
  if (dialer_ && dialer_->next_deadline()) consider(*dialer_->next_deadline());
  for (const auto& [id, peer] : peers_) {
    if (!peer.connected) consider(peer.connect_deadline);
    if (peer.session && peer.session->next_deadline()) consider(*peer.session->next_deadline());
  }
  return next;
}

void PeerPool::note_user_agent(const Peer& peer) {
  Candidate* candidate = candidate_of(peer.id);
  if (candidate == nullptr || peer.session->remote() == nullptr) return;
  candidate->user_agent = p2p::printable(peer.session->remote()->user_agent);
}

void PeerPool::note_doubt(PeerId id, const std::string& why) {
  Candidate* candidate = candidate_of(id);
  if (candidate == nullptr || candidate->doubt == why) return;
  candidate->doubt = why;
  if (candidate->from_book) dialer_->on_doubt(candidate->address, why);
}

void PeerPool::note_progress(PeerId id) {
  if (Candidate* candidate = candidate_of(id)) candidate->failures = 0;
}

}  // namespace spv::sync
