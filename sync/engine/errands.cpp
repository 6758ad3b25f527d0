#include "sync/engine/errands.h"

#include <utility>

namespace spv::sync {
namespace {

bool takes_whole_blocks(const EngineOptions& options) {
  return options.source.mode == SourceMode::Blocks || options.source.mode == SourceMode::Compact;
}

/// Where neither the mempool nor what comes later matters, peers are told to announce nothing.
Herald::Rules herald_rules(const EngineOptions& options) {
  const bool silent = options.mempool_wait == util::Duration::zero() && !options.follow;
  return {.hears = !silent || !options.errands.broadcasts.empty(),
          .unfiltered = options.errands.scan && takes_whole_blocks(options),
          .timing = options.errands.timing};
}

}  // namespace

Errands::Errands(const EngineOptions& options, PeerPool& pool, const Announcers& announcers,
                 const chain::HeaderChain& chain, Courier::Pending pending)
    : courier(pool, announcers, std::move(pending), takes_whole_blocks(options)),
      herald(pool, announcers, herald_rules(options)),
      fees(chain),
      pool_(pool) {}

void Errands::start(EngineOptions::Errands& errands, util::Now now) {
  for (auto& request : std::exchange(errands.broadcasts, {})) herald.request(std::move(request), now);
  if (errands.fees) fees.start(now);
}

bool Errands::on_messenger_ready(const Peer& peer, util::Now now, util::Rng& rng, Outbox& out) {
  if (herald.is_messenger(peer.id)) return herald.on_messenger_ready(peer, now, out);
  return courier.on_courier_ready(peer.id, now, rng, out);
}

void Errands::on_peer_lost(PeerId peer, util::Now now, util::Rng& rng) {
  courier.on_peer_lost(peer, now, rng);
  herald.on_peer_lost(peer);
  fees.on_peer_lost(peer);
}

void Errands::advance(bool caught_up, util::Now now, util::Rng& rng, Outbox& out) {
  looked_at_ = now.monotonic;
  if (!herald.is_idle()) herald.advance(now, rng, out);
  if (!fees.is_active()) return;
  FeeSurvey::Company company{
      .ready = {}, .more_to_come = pool_.waits_for_others(now).has_value(), .caught_up = caught_up};
  for (const auto& [id, peer] : pool_.peers()) {
    if (peer.ready() && !is_messenger(id)) company.ready.push_back(id);
  }
  fees.advance(company, now, rng, out);
}

void Errands::end(Outbox& out) {
  herald.end(out);
  fees.end(out);
}

std::optional<util::TimePoint> Errands::deadline() const {
  std::optional<util::TimePoint> next = herald.deadline();
  const auto consider = [&](std::optional<util::TimePoint> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  consider(fees.deadline());
  // Who is still connecting then is not waited for any more.
  if (fees.is_active()) consider(pool_.waits_for_others({.monotonic = looked_at_, .wall = 0}));
  return next;
}

}  // namespace spv::sync
