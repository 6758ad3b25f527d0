#include "sync/scan/compact/filter_headers.h"

#include <algorithm>
#include <array>

namespace spv::sync {

void FilterHeaders::start_again(Peer& peer) const {
  // What is not there yet comes from whoever sends it first; the lowest one is never compared.
  const chain::Height known = std::max(store_.tip_height(), store_.base_height() - 1);
  peer.compared = std::min(first_ - 1, known);
  peer.from = peer.compared + 1;
  peer.own.reset();
  peer.silent_since.reset();
  if (peer.asked) peer.asked->counts = false;
}

void FilterHeaders::begin_at(chain::Height first) {
  first_ = first;
  for (auto& [id, peer] : peers_) {
    const bool misses = first < peer.from || (first - 1 > peer.compared && !peer.looked_back);
    if (misses) start_again(peer);
  }
}

void FilterHeaders::cut_above(chain::Height height) {
  const chain::Height fork = std::max(height, store_.base_height() - 1);
  if (store_.tip_height() > fork) store_.replace_above(fork, {});
  for (auto& [id, peer] : peers_) {
    if (peer.asked && peer.asked->last > height) peer.asked->counts = false;
    peer.passed.erase(peer.passed.upper_bound(fork), peer.passed.end());
    if (peer.compared <= fork) continue;
    peer.compared = fork;
    peer.from = std::min(peer.from, fork + 1);
    peer.own.reset();
  }
}

void FilterHeaders::add(PeerId peer) { start_again(peers_[peer]); }

// --- asking ---------------------------------------------------------------------------------------------------------

void FilterHeaders::ask(PeerId id, chain::Height last, std::uint64_t fence, util::Now now, Outbox& out) {
  const auto found = peers_.find(id);
  if (found == peers_.end() || found->second.asked || now.monotonic < found->second.ask_at) return;
  const chain::Height first = found->second.compared + 1;
  last = std::min(last, first + static_cast<chain::Height>(p2p::kMaxFilterHeaders) - 1);
  if (last < first) return found->second.silent_since.reset();
  const auto stop = chain_.hash_at(last);
  if (!stop) return;
  found->second.asked = Ask{.first = first, .last = last, .stop = *stop, .since = now.monotonic, .fence = fence};
  out.send(id, p2p::GetCFHeaders{{bip158::kBasicType, static_cast<std::uint32_t>(first), *stop}});
  out.send(id, p2p::Ping{fence});
}

void FilterHeaders::on_fence(PeerId id, std::uint64_t nonce, util::Now now) {
  const auto found = peers_.find(id);
  if (found == peers_.end() || !found->second.asked || found->second.asked->fence != nonce) return;
  Peer& peer = found->second;
  peer.asked.reset();
  peer.ask_at = now.monotonic + kPause;
  if (!peer.silent_since) peer.silent_since = now.monotonic;
}

FilterHeaders::Step FilterHeaders::on(PeerId id, const p2p::CFHeaders& message) {
  const auto found = peers_.find(id);
  if (found == peers_.end() || !found->second.asked) return {};
  Peer& peer = found->second;
  if (message.filter_type != bip158::kBasicType || message.stop != peer.asked->stop) return {};
  const Ask ask = *peer.asked;
  peer.asked.reset();
  peer.silent_since.reset();
  if (!ask.counts) return {.taken = true};
  const bool complete = message.filter_hashes.size() == static_cast<std::size_t>(ask.last - ask.first) + 1;
  const bool continues = !peer.own || *peer.own == message.previous_header;
  if (!complete || !continues) return {.fault = DisconnectReason::BadFilterHeaders, .taken = true};
  // The first of a kind: no header of ours is below it.
  if (ask.first == store_.base_height()) {
    if (ask.first == 0 && message.previous_header != bip158::FilterHeader{}) {
      return {.fault = DisconnectReason::BadFilterHeaders, .taken = true};
    }
    if (store_.tip_height() < store_.base_height()) {
      store_.replace_above(store_.base_height() - 1,
                           std::array{bip158::filter_header(message.filter_hashes[0], message.previous_header)});
    }
    return {.taken = true, .difference = compare(id, peer, ask, message)};
  }
  const bool differs_below = store_.at(ask.first - 1) != message.previous_header;
  if (differs_below && !peer.looked_back && ask.first - 1 > store_.base_height()) {
    peer.looked_back = true;
    peer.from = store_.base_height() + 1;
    peer.compared = store_.base_height();
    peer.own.reset();  // of a block above
    return {.taken = true};
  }
  peer.looked_back = true;
  // A header commits to all below it, so the peer stands for them too.
  if (!differs_below) peer.from = std::min(peer.from, store_.base_height() + 1);
  return {.taken = true, .difference = compare(id, peer, ask, message)};
}

// Hashes and not headers are compared, by headers that follow ours: a peer whose past differs has all others alike.
std::optional<FilterDifference> FilterHeaders::compare(PeerId id, Peer& peer, const Ask& ask,
                                                       const p2p::CFHeaders& message) {
  const chain::Height base = store_.base_height();
  bip158::FilterHeader ours = ask.first == base ? store_.at(base) : store_.at(ask.first - 1);
  bip158::FilterHeader own = message.previous_header;
  std::vector<bip158::FilterHeader> fresh;
  chain::Height height = ask.first;
  for (const auto& hash : message.filter_hashes) {
    own = bip158::filter_header(hash, own);
    if (height > base) ours = bip158::filter_header(hash, ours);
    const bool is_known = height <= store_.tip_height();
    if (is_known && height > base && store_.at(height) != ours) {
      peer.own.reset();
      if (!peer.passed.contains(height)) return FilterDifference{id, height, hash};
      ours = store_.at(height);
    }
    if (!is_known) fresh.push_back(ours);
    if (is_known) peer.compared = height;
    ++height;
  }
  if (!fresh.empty()) store_.replace_above(store_.tip_height(), fresh);
  peer.compared = ask.last;
  peer.own = own;
  return std::nullopt;
}

void FilterHeaders::note_progress(PeerId id, util::Now now) {
  const auto found = peers_.find(id);
  if (found != peers_.end() && found->second.asked) found->second.asked->since = now.monotonic;
}

std::optional<util::TimePoint> FilterHeaders::deadline(PeerId id) const {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return std::nullopt;
  const Peer& peer = found->second;
  if (peer.silent_since) return *peer.silent_since + kStallTimeout;
  return peer.asked ? std::optional(peer.asked->since + kStallTimeout) : std::nullopt;
}

std::optional<util::TimePoint> FilterHeaders::ask_again_at() const {
  std::optional<util::TimePoint> at;
  for (const auto& [id, peer] : peers_) {
    if (peer.silent_since && !peer.asked && (!at || peer.ask_at < *at)) at = peer.ask_at;
  }
  return at;
}

bool FilterHeaders::pass_over(const FilterDifference& difference) {
  const auto found = peers_.find(difference.peer);
  if (found == peers_.end() || found->second.compared != difference.height - 1) return true;
  found->second.compared = difference.height;
  found->second.passed.insert(difference.height);
  found->second.own.reset();
  return found->second.passed.size() <= kMostPassed;
}

// --- who has sent what ----------------------------------------------------------------------------------------------

chain::Height FilterHeaders::reach(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? -1 : found->second.compared;
}

bool FilterHeaders::vouches(PeerId peer, chain::Height height) const {
  const auto found = peers_.find(peer);
  if (found == peers_.end() || found->second.passed.contains(height)) return false;
  return found->second.from <= height && found->second.compared >= height;
}

std::vector<PeerId> FilterHeaders::vouching(chain::Height height) const {
  std::vector<PeerId> out;
  for (const auto& [id, peer] : peers_) {
    if (vouches(id, height)) out.push_back(id);
  }
  return out;
}

chain::Height FilterHeaders::sent_by_two() const {
  std::array<chain::Height, 2> highest{-1, -1};
  for (const auto& [id, peer] : peers_) {
    if (peer.from > first_ || peer.compared <= highest[1]) continue;
    highest[1] = peer.compared;
    if (highest[1] > highest[0]) std::swap(highest[0], highest[1]);
  }
  return highest[1];
}

bool FilterHeaders::is_ours(chain::Height height, const bip158::FilterHash& filter_hash) const {
  if (height <= store_.base_height() || height > store_.tip_height()) return false;
  return bip158::filter_header(filter_hash, store_.at(height - 1)) == store_.at(height);
}

}  // namespace spv::sync
