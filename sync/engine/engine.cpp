#include "sync/engine/engine.h"

#include <algorithm>
#include <utility>

#include "sync/engine/failure_text.h"
#include "sync/engine/lane_rules.h"
#include "sync/engine/proven_chain.h"
#include "sync/engine/warnings.h"
#include "wallet/birthday.h"

namespace spv::sync {
namespace {

/// A fee filter that nothing passes: then the peer's filter changes by the blocks we ask for alone (protocol.md P10).
constexpr std::int64_t kSilence = chain::kMaxMoney;

BlockScan make_scan(const chain::HeaderChain& chain, Watcher& watcher, const EngineOptions& options, util::Rng rng,
                    bip158::FilterHeaderStore* filter_headers) {
  const util::Rng for_checks(rng.next());
  const util::Rng for_matches(rng.next());
  return {chain,          watcher,     options.fp_rate, CrossCheck(options.cross_check, for_checks),
          options.source, for_matches, filter_headers};
}

/// No peer gets a bloom filter.
bool takes_blocks_only(const EngineOptions& options) {
  return options.source.mode == SourceMode::Blocks || options.source.mode == SourceMode::Compact;
}

}  // namespace

Engine::Engine(EngineOptions options, chain::HeaderChain& chain, Watcher& watcher, util::Rng rng,
               bip158::FilterHeaderStore* filter_headers)
    : options_(std::move(options)),
      chain_(chain),
      watcher_(watcher),
      rng_(rng),
      pool_(options_.peers, options_.follow, options_.book, options_.connect_timeout),
      headers_(chain, pool_.is_sole()),
      scan_(make_scan(chain, watcher, options_, util::Rng(rng_.next()), filter_headers)),
      relay_(watcher, options_.mempool_wait, takes_blocks_only(options_)),
      mempool_(relay_, options_.follow || !options_.errands.broadcasts.empty()),
      errands_(options_, pool_, relay_.announcers(), chain, [&watcher] { return watcher.own_pending(); }),
      tip_events_(watcher) {}

std::vector<Action> Engine::handle(Input&& input, util::Now now) {
  std::visit([&](auto&& fact) { on(std::forward<decltype(fact)>(fact), now); }, std::move(input));
  advance(now);
  auto actions = out_.take();
  if (note_confirmed(actions)) {
    advance(now);
    for (auto& action : out_.take()) actions.push_back(std::move(action));
  }
  return actions;
}

bool Engine::note_confirmed(const std::vector<Action>& actions) {
  if (errands_.herald.is_idle()) return false;
  bool any = false;
  for (const auto& action : actions) {
    const auto* notify = std::get_if<Notify>(&action);
    const auto* seen = notify == nullptr ? nullptr : std::get_if<TransactionSeen>(&notify->event);
    if (seen == nullptr || !seen->height || !errands_.herald.knows(seen->txid)) continue;
    errands_.herald.on_confirmed(seen->txid);
    any = true;
  }
  return any;
}

std::vector<Action> Engine::stop(util::Now now) {
  scan_.flush(now, out_);
  errands_.end(out_);
  return out_.take();
}

// --- inputs ----------------------------------------------------------------------------------------------------------

void Engine::on(const Started&, util::Now now) {
  pool_.on_started(now);
  lag_.on_tip_changed(now.monotonic);
  errands_.start(options_.errands, now);
}

void Engine::on(const PeerConnected& input, util::Now now) { pool_.on_connected(input.peer, rng_.next(), now, out_); }

void Engine::on(ConnectFailed&& input, util::Now now) {
  forget(input.peer, std::move(input.reason), std::nullopt, now);
}

void Engine::on(PeerDisconnected&& input, util::Now now) {
  forget(input.peer, std::move(input.reason), std::nullopt, now);
}

void Engine::on(const PeersFound& input, util::Now now) { pool_.on_found(input, now, rng_); }

void Engine::on(const StreamCorrupted& input, util::Now now) { drop(input.peer, reason_of(input.error), now); }

// The end is reported again once what was added is scanned, and what waits for a block may be theirs.
void Engine::on(const WatchChanged&, util::Now now) {
  mempool_.on_found(now);
  errands_.courier.look_again();
  if (!is_aligned()) return;
  phase_ = Headers{};  // a wallet that has seen more than these headers reach would be taken back
  if (can_align()) begin_scan(now);
}

void Engine::on(const Tick&, util::Now now) {
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) ids.push_back(id);
  for (const PeerId id : ids) {
    if (Peer* peer = pool_.find(id)) check_deadlines(*peer, now);
  }
  relay_.tick(now, out_);
}

void Engine::on(BroadcastRequested&& input, util::Now now) {
  errands_.herald.request(std::move(input), now);
  if (std::holds_alternative<Done>(phase_)) errands_.end(out_);
}

void Engine::on(const FeesRequested&, util::Now now) {
  errands_.fees.start(now);
  if (std::holds_alternative<Done>(phase_)) errands_.end(out_);
}

// --- peers -----------------------------------------------------------------------------------------------------------

void Engine::take_session_result(const Peer& peer, p2p::PeerSession::Result result, util::Now now) {
  for (auto& reply : result.replies) out_.send(peer.id, std::move(reply));
  if (result.error) return drop(peer.id, reason_of(*result.error), now);
  if (result.became_ready) on_ready(peer, now);
}

void Engine::on_ready(const Peer& peer, util::Now now) {
  const bool is_messenger = errands_.is_messenger(peer.id);
  pool_.note_user_agent(peer);
  headers_.add_peer(peer.id, peer.address, !is_messenger, peer.session->remote()->start_height);
  if (is_messenger) {
    if (!errands_.on_messenger_ready(peer, now, rng_, out_)) drop(peer.id, DisconnectReason::Finished, now);
    return;
  }
  if (options_.errands.scan && !takes_on(peer)) {
    const bool compact = options_.source.mode == SourceMode::Compact;
    return drop(peer.id, compact ? DisconnectReason::NoCompactFilters : DisconnectReason::NoBloomFilters, now);
  }
  out_.notify(PeerStateChanged{peer.address, "connected"});
  out_.send(peer.id, p2p::SendHeaders{});
  pool_.on_ready(peer, now, out_);
  // Without a filter it then announces all transactions: those that were told among them.
  if (!options_.errands.scan && peer.offers_bloom() && !errands_.herald.is_idle()) {
    out_.send(peer.id, p2p::FilterClear{});
  }
}

bool Engine::takes_on(const Peer& peer) {
  const LaneUse use = lane_use(peer, options_.source);
  if (!can_serve(use, options_.source)) return false;
  return !is_makeshift(use, options_.source) || pool_.keep_makeshift(peer.id);
}

void Engine::check_deadlines(Peer& peer, util::Now now) {
  const auto passed = [&](std::optional<util::TimePoint> at) { return at && now.monotonic >= *at; };
  if (!peer.connected) {
    if (passed(peer.connect_deadline)) drop(peer.id, DisconnectReason::HandshakeTimeout, now);
    return;
  }
  if (passed(headers_.deadline(peer.id)) || passed(scan_.deadline(peer.id))) {
    return drop(peer.id, DisconnectReason::Stalled, now);
  }
  if (passed(peer.session->next_deadline())) take_session_result(peer, peer.session->tick(rng_.next(), now), now);
}

void Engine::drop(PeerId peer, DisconnectReason reason, util::Now now) {
  if (pool_.find(peer) == nullptr) return;
  out_.disconnect(peer, reason);
  forget(peer, std::string(to_string(reason)), reason, now);
}

template <typename Which>
void Engine::drop_where(Which which, DisconnectReason reason, util::Now now) {
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) {
    if (which(peer)) ids.push_back(id);
  }
  for (const PeerId id : ids) drop(id, reason, now);
}

void Engine::forget(PeerId id, std::string error, std::optional<DisconnectReason> reason, util::Now now) {
  const Peer* peer = pool_.find(id);
  if (peer == nullptr) return;
  if (peer->connected) out_.notify(PeerStateChanged{peer->address, error});
  const bool was_messenger = errands_.is_messenger(id);
  scan_.remove_lane(id);
  relay_.on_peer_lost(id, now, out_);
  mempool_.on_peer_lost(id);
  errands_.on_peer_lost(id, now, rng_);
  headers_.remove_peer(id);
  unsolicited_.on_peer_lost(id);
  if (was_messenger) return pool_.on_stranger_lost(id, error, reason, now, rng_);
  pool_.on_lost(id, std::move(error), reason, now, rng_);
}

// --- what follows from an input --------------------------------------------------------------------------------------

void Engine::advance(util::Now now) {
  if (std::holds_alternative<Done>(phase_)) return;
  pool_.connect_due(now, rng_, out_);
  if (options_.errands.scan || errands_.fees.is_active()) headers_.pump(now, out_);
  if (options_.errands.scan && headers_.caught_up()) leave_weak_chains(now);
  if (options_.errands.scan && !is_aligned() && can_align()) begin_scan(now);
  if (is_aligned()) run_scan(now);
  run_errands(now);
  auto* const tip = std::get_if<AtTip>(&phase_);
  if (tip != nullptr && at_rest() && std::exchange(tip->mempool_outdated, false)) mempool_.ask_again(now, out_);
  if (at_rest()) tip_events_.at_rest(chain_.tip(), scan_.wallet_version(), out_);
  if (options_.follow) announce_own(now);
  if (tip != nullptr) check_stale(now);
  check_end(now);
}

void Engine::begin_scan(util::Now now) {
  phase_ = Scanning{};
  scan_.align(now, out_);
}

bool Engine::can_align() const { return sync::can_align(watcher_, chain_, headers_.caught_up()); }

bool Engine::at_rest() const { return is_aligned() && headers_.caught_up() && scan_.done(); }

// All that our peers know is less than the network has: none of them can tell what the wallet holds (H10).
void Engine::leave_weak_chains(util::Now now) {
  if (chain_.has_minimum_work()) return;
  drop_where([](const Peer& peer) { return peer.ready(); }, DisconnectReason::TooLittleWork, now);
}

void Engine::run_scan(util::Now now) {
  add_lanes();
  for (const auto& [id, peer] : pool_.peers()) {
    if (!scan_.has_lane(id)) continue;
    scan_.set_reach(id, headers_.serves_to(id));
    // Before blocks that would hold up the answer. A node that offers no bloom filters hangs up when it is asked.
    if (peer.offers_bloom()) mempool_.ask(id, lane_use(peer, options_.source).filtered, now, out_);
  }
  scan_.expect_company(pool_.peers().size() > scan_.lanes() + errands_.herald.messengers());
  const auto convicted = scan_.pump(proven_height(chain_), pool_.uses_book(), rng_, now, out_);
  auto* const tip = std::get_if<AtTip>(&phase_);
  if (mempool_.note_sliced(scan_.is_sliced(), now) && tip != nullptr) tip->mempool_outdated = true;
  drop_convicted(convicted, now);
  leave_laggards(now);
  if (at_rest()) relay_.release(now, out_);
}

bool Engine::wants_silence() const {
  return relay_.mempool() == MempoolState::Skipped && !options_.follow && errands_.herald.is_idle();
}

void Engine::add_lanes() {
  const bool strict = wants_silence();
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || errands_.is_messenger(id) || scan_.has_lane(id)) continue;
    if (!headers_.is_caught_up(id) && headers_.serves_to(id) < scan_.position()) continue;
    if (strict) out_.send(id, p2p::FeeFilter{kSilence});
    scan_.add_lane(id, strict, lane_use(peer, options_.source), out_);
  }
}

void Engine::drop_convicted(const std::vector<Conviction>& convicted, util::Now now) {
  for (const auto& conviction : convicted) drop(conviction.peer, conviction.reason, now);
}

// Peers that say they have no more while our chain goes on: new connections may have it.
void Engine::leave_laggards(util::Now now) {
  const bool stuck = headers_.caught_up() && scan_.lanes() > 0 && !scan_.can_go_on();
  if (!lag_.lags(stuck, now.monotonic)) return;
  drop_where([this](const Peer& peer) { return scan_.has_lane(peer.id); }, DisconnectReason::Lagging, now);
}

// A peer that claims more than it serves is on another chain, or still syncing. Of the user's own it may be all there
// is; of the book's there are others.
void Engine::note_doubts(util::Now now) {
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready()) continue;
    const auto claim = headers_.overclaim(id);
    pool_.note_doubt(id, claim ? doubt_text(*claim) : std::string());
  }
  if (!pool_.uses_book()) return;
  drop_where([this](const Peer& peer) { return headers_.is_outdone(peer.id); }, DisconnectReason::ClaimsMore, now);
}

void Engine::announce_own(util::Now now) {
  Courier& courier = errands_.courier;
  if (const auto done = courier.end_fetches(now, rng_)) drop(*done, DisconnectReason::Finished, now);
  if (at_rest()) {
    Courier::Untold untold;
    const bool answered = std::holds_alternative<AtTip>(phase_) && relay_.mempool() != MempoolState::Skipped;
    if (answered) {
      untold = [this](const chain::Txid& txid) { return announcers(txid) == 0 && !errands_.herald.knows(txid); };
    }
    courier.at_rest(chain_.tip(), scan_.wallet_version(), now, rng_, out_, untold);
  } else {
    courier.not_at_rest(now, rng_);
  }
}

void Engine::run_errands(util::Now now) {
  errands_.advance(headers_.caught_up() && chain_.has_minimum_work(), now, rng_, out_);
  for (const PeerId id : errands_.herald.done()) drop(id, DisconnectReason::Finished, now);
}

// Whoever answered for its mempool has announced what it has; where nobody was asked, a payment that no peer took is
// told again all the same. Where we stay, the courier sees to it.
bool Engine::tell_own_again(Scanning& scanning, util::Now now) {
  if (relay_.mempool() != MempoolState::Idle && !options_.follow && !std::exchange(scanning.told_own, true)) {
    auto pending = watcher_.own_pending();
    if (relay_.mempool() == MempoolState::Skipped) {
      std::erase_if(pending, [](const OwnTransaction& own) { return !own.untaken; });
    }
    errands_.herald.tell_again(pending, now);
    run_errands(now);
  }
  return errands_.are_done();
}

// All peers may be stuck at one tip, or keep the next block from us. New ones of the book may not.
void Engine::check_stale(util::Now now) {
  if (!lag_.is_stale(now.monotonic)) return;
  const auto age = chain_.at(chain_.height()) ? now.wall - chain_.at(chain_.height())->time : 0;
  out_.notify(ChainStale{chain_.tip(), age});
  if (!pool_.uses_book()) return;
  drop_where([](const Peer& peer) { return peer.ready(); }, DisconnectReason::Lagging, now);
}

void Engine::check_end(util::Now now) {
  if (pool_.exhausted()) return finish(describe_failure(pool_, chain_), now);
  if (!options_.errands.scan && errands_.are_done()) return finish(std::nullopt, now);
  auto* const scanning = std::get_if<Scanning>(&phase_);
  if (scanning == nullptr) return;
  scanning->waits_until.reset();
  const auto answers = [](const auto& item) { return item.second.ready() && item.second.offers_bloom(); };
  if (!at_rest() || !mempool_.settle(std::ranges::any_of(pool_.peers(), answers), now, out_)) return;
  scanning->waits_until = pool_.waits_for_others(now);
  if (!scanning->waits_until && tell_own_again(*scanning, now)) finish(std::nullopt, now);
}

void Engine::finish(std::optional<Failure> failure, util::Now now) {
  if (options_.follow && options_.errands.scan && !failure) {
    phase_ = AtTip{};
  } else {
    phase_ = Done{};
  }
  scan_.flush(now, out_);
  if (std::holds_alternative<Done>(phase_)) errands_.end(out_);
  out_.notify(Finished{std::move(failure)});
  if (std::holds_alternative<AtTip>(phase_)) announce_own(now);  // by now it is known what no peer has
}

std::optional<util::TimePoint> Engine::next_deadline() const {
  if (std::holds_alternative<Done>(phase_)) return std::nullopt;
  std::optional<util::TimePoint> next = pool_.next_deadline();
  const auto consider = [&next](std::optional<util::TimePoint> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  consider(headers_.next_deadline());
  consider(scan_.next_deadline());
  consider(relay_.deadline());
  consider(lag_.lag_deadline());
  if (options_.follow) consider(errands_.courier.deadline());
  consider(errands_.deadline());
  if (std::holds_alternative<AtTip>(phase_)) consider(lag_.stale_deadline());
  if (const auto* scanning = std::get_if<Scanning>(&phase_)) consider(scanning->waits_until);
  return next;
}

std::vector<std::string> Engine::warnings(util::UnixTime now) const {
  const ScanCounters& counters = scan_.counters();
  const std::uint64_t believed = counters.merkleblocks + counters.compact_filters;
  const CheckedBlocks blocks{options_.cross_check, believed, scan_.cross_checked()};
  return describe_warnings(pool_, chain_, blocks, watcher_.standing().birthday, now);
}

bool Engine::is_complete() const {
  return at_rest() && !headers_.all_overclaim() && !wallet::is_above_tip(watcher_.standing().birthday, chain_.height());
}

std::vector<PeerFacts> Engine::connections() const {
  std::vector<PeerFacts> out;
  for (const auto& [id, peer] : pool_.peers()) {
    PeerFacts facts{.address = peer.address, .connected = peer.connected, .ready = peer.ready()};
    if (facts.ready) {
      const p2p::Version& remote = *peer.session->remote();
      facts.user_agent = remote.user_agent;
      facts.services = remote.services;
      facts.height = remote.start_height;
    }
    if (const Lane* lane = scan_.lane(id)) {
      facts.height = std::max(facts.height, lane->reach);
      if (lane->pipe.has_filter()) facts.filter = &lane->pipe.mirror();
    }
    out.push_back(std::move(facts));
  }
  return out;
}

Progress Engine::progress() const {
  Progress progress{.header_height = chain_.height(),
                    .headers_done = headers_.caught_up(),
                    .scanned = scan_.position() - 1,
                    .headers_added = headers_.added(),
                    .first_header = chain_.base_height(),
                    .ready_peers = 0,
                    .announced_height = 0,
                    .at_rest = at_rest(),
                    .waits_until = std::nullopt};
  if (progress.at_rest && std::holds_alternative<Scanning>(phase_)) progress.waits_until = relay_.wait_deadline();
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready()) continue;
    ++progress.ready_peers;
    progress.announced_height = std::max(progress.announced_height, peer.session->remote()->start_height);
  }
  return progress;
}

}  // namespace spv::sync
