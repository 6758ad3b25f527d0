#include "sync/engine/engine.h"

#include <algorithm>

namespace spv::sync {
namespace {

/// A fee filter that nothing passes: then the peer's filter changes by the blocks we ask for alone (protocol.md P10).
constexpr std::int64_t kSilence = chain::kMaxMoney;

BlockScan make_scan(const chain::HeaderChain& chain, Watcher& watcher, const EngineOptions& options, util::Rng rng) {
  const util::Rng for_checks(rng.next());
  const util::Rng for_matches(rng.next());
  return {chain, watcher, options.fp_rate, CrossCheck(options.cross_check, for_checks), options.source, for_matches};
}

bool offers_bloom(const p2p::PeerSession& session) { return (session.remote()->services & p2p::services::kBloom) != 0; }

}  // namespace

Engine::Engine(EngineOptions options, chain::HeaderChain& chain, Watcher& watcher, util::Rng rng)
    : options_(std::move(options)),
      chain_(chain),
      watcher_(watcher),
      rng_(rng),
      pool_(options_.peers, options_.follow, options_.book, options_.connect_timeout),
      headers_(chain, pool_),
      scan_(make_scan(chain, watcher, options_, util::Rng(rng_.next()))),
      relay_(watcher, options_.mempool_wait, options_.source.mode == SourceMode::Blocks),
      tip_events_(watcher) {}

std::vector<Action> Engine::handle(const Input& input, util::Now now) {
  std::visit([&](const auto& fact) { on(fact, now); }, input);
  advance(now);
  return out_.take();
}

std::vector<Action> Engine::stop(util::Now now) {
  scan_.flush(now, out_);
  return out_.take();
}

void Engine::on(const Started&, util::Now now) { started_at_ = tip_changed_at_ = now.monotonic; }

void Engine::on(const PeerConnected& input, util::Now now) { pool_.on_connected(input.peer, rng_.next(), now, out_); }

void Engine::on(const ConnectFailed& input, util::Now now) { forget(input.peer, input.reason, std::nullopt, now); }

void Engine::on(const PeerDisconnected& input, util::Now now) { forget(input.peer, input.reason, std::nullopt, now); }

void Engine::on(const PeersFound& input, util::Now now) { pool_.on_found(input, now, rng_); }

// The end is told again once what was added is scanned, and what waits for a block may be theirs.
void Engine::on(const WatchChanged&, util::Now now) {
  finished_ = false;
  last_find_ = now.monotonic;
  pending_at_.reset();
  aligned_ = aligned_ && can_align();  // one that has seen more than these headers reach would be taken back
  if (aligned_) scan_.align(now, out_);
}

void Engine::on(const StreamCorrupted& input, util::Now now) { drop(input.peer, DisconnectReason::BadMessage, now); }

void Engine::on(const MessageReceived& input, util::Now now) {
  Peer* peer = pool_.find(input.peer);
  if (peer == nullptr || !peer->session) return;
  const auto result = peer->session->handle(input.message, now);
  const bool forward = result.forward;
  take_session_result(*peer, result, now);
  if (!forward || pool_.find(input.peer) == nullptr) return;
  std::visit([&](const auto& message) { on_message(*peer, message, now); }, input.message);
}

void Engine::take_session_result(Peer& peer, p2p::PeerSession::Result result, util::Now now) {
  for (auto& reply : result.replies) out_.send(peer.id, std::move(reply));
  if (result.error) return drop(peer.id, reason_of(*result.error), now);
  if (result.became_ready) on_ready(peer, now);
}

void Engine::on_ready(Peer& peer, util::Now now) {
  pool_.note_user_agent(peer);
  if (peer.courier) {
    if (!rebroadcast_.announce(peer.id, now, rng_, out_)) drop(peer.id, DisconnectReason::Finished, now);
    return;
  }
  const LaneUse use = use_of(peer);
  const bool whole = options_.source.mode == SourceMode::Blocks ||
                     (options_.source.mode == SourceMode::Auto && (use.local || options_.source.max_download > 0));
  if (!use.filtered && !whole) return drop(peer.id, DisconnectReason::NoBloomFilters, now);
  out_.notify(PeerStateChanged{peer.address, "connected"});
  out_.send(peer.id, p2p::SendHeaders{});
  pool_.on_ready(peer, now, out_);
}

void Engine::on_message(Peer& peer, const p2p::Headers& message, util::Now now) {
  const auto result = headers_.on(peer, message, now, out_);
  if (result.update.tip_changed()) tip_changed_at_ = now.monotonic;
  if (result.update.tip_changed()) on_chain_changed(peer, result.update, now);
  if (result.fault) drop(peer.id, *result.fault, now);
}

void Engine::on_chain_changed(const Peer& source, const chain::ChainUpdate& update, util::Now now) {
  if (!update.is_reorganisation()) return;
  ++reorganisations_;
  const chain::Height fork = *update.fork_height;
  out_.notify(ChainReorganised{update.old_tip, update.new_tip, fork});
  // What the others said they have above the fork is of the chain that was left.
  for (auto& [id, peer] : pool_.peers()) {
    if (id != source.id) peer.serves_to = std::min(peer.serves_to, fork);
  }
  if (aligned_) scan_.on_reorganised({fork, *chain_.hash_at(fork)}, now, out_);
}

void Engine::on_message(Peer& peer, const p2p::Inv& message, util::Now now) {
  // The last one alone: its headers bring the others, and an inv may name 50,000.
  const auto is_block = [](const p2p::InventoryItem& item) { return item.type == p2p::InventoryType::Block; };
  const auto last = std::find_if(message.items.rbegin(), message.items.rend(), is_block);
  if (last != message.items.rend()) {
    headers_.on_block_announced(peer, util::retag<chain::BlockHash>(last->hash), now, out_);
  }
  relay_.on(peer.id, message, now, out_);
}

void Engine::on_message(Peer& peer, const p2p::NotFound& message, util::Now now) {
  relay_.on(peer.id, message, now, out_);
}

bool Engine::follow_up(Peer& peer, const ScanStep& step, util::Now now) {
  if (step.found && !relay_.is_holding()) last_find_ = now.monotonic;
  if (step.applied) pool_.note_progress(peer.id);
  HeaderSync::on_other_progress(peer, now);
  const PeerId id = peer.id;
  if (step.fault) drop(id, *step.fault, now);
  drop_convicted(step.convicted, now);
  return pool_.find(id) != nullptr;
}

void Engine::drop_convicted(const std::vector<Conviction>& convicted, util::Now now) {
  for (const auto& conviction : convicted) drop(conviction.peer, conviction.reason, now);
}

void Engine::on_message(Peer& peer, const p2p::MerkleBlock& message, util::Now now) {
  if (!scan_.has_lane(peer.id)) return;
  p2p::MerkleBlock copy = message;
  follow_up(peer, scan_.on(peer.id, copy, now, out_), now);
}

void Engine::on_message(Peer& peer, const p2p::Block& message, util::Now now) {
  if (scan_.has_lane(peer.id)) {
    const ScanStep step = scan_.on(peer.id, message, now, out_);
    if (!follow_up(peer, step, now) || step.taken) return;
  }
  count_unsolicited(peer, 10, now);
}

void Engine::on_message(Peer& peer, const p2p::Tx& message, util::Now now) {
  chain::Transaction tx = message.transaction;
  const chain::Txid txid = message.txid();
  if (scan_.has_lane(peer.id)) {
    const ScanStep step = scan_.on(peer.id, tx, txid, now, out_);
    if (!follow_up(peer, step, now) || step.taken) return;
  }
  const bool asked = relay_.has_asked(peer.id, txid);
  watcher_.on_tip(chain_.height());
  auto effect = relay_.on(peer.id, tx, txid, now, out_);
  if (!asked && !scan_.excuses(peer.id, tx, txid) && ++peer.unsolicited >= FilteredBlocks::kMaxUnmatched) {
    return drop(peer.id, DisconnectReason::UnmatchedTransactions, now);
  }
  if (effect.empty()) return;
  if (effect.widened_from) last_find_ = now.monotonic;
  // The inputs of a payment on its way are watched from now on: a double spend of them may pay someone else.
  if (options_.follow) scan_.want_reload();
  scan_.on_unconfirmed(effect, now, out_);
}

void Engine::on_message(Peer& peer, const p2p::Pong& message, util::Now now) {
  if (!scan_.has_lane(peer.id)) return;
  const auto known = [this](const chain::Txid& txid) {
    const auto* recent = relay_.find_recent(txid);
    return recent != nullptr ? recent : watcher_.find(txid);
  };
  follow_up(peer, scan_.on(peer.id, message, known, now, out_), now);
}

void Engine::on(const Tick&, util::Now now) {
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) ids.push_back(id);
  for (const PeerId id : ids) {
    if (Peer* peer = pool_.find(id)) check_deadlines(*peer, now);
  }
  relay_.tick(now, out_);
}

void Engine::check_deadlines(Peer& peer, util::Now now) {
  const auto passed = [&](std::optional<util::TimePoint> at) { return at && now.monotonic >= *at; };
  if (!peer.connected) {
    if (now.monotonic >= peer.connect_deadline) drop(peer.id, DisconnectReason::HandshakeTimeout, now);
    return;
  }
  if (passed(peer.headers_deadline) || passed(scan_.deadline(peer.id))) {
    return drop(peer.id, DisconnectReason::Stalled, now);
  }
  if (passed(peer.session->next_deadline())) take_session_result(peer, peer.session->tick(rng_.next(), now), now);
}

void Engine::count_unsolicited(Peer& peer, std::size_t weight, util::Now now) {
  peer.unsolicited += weight;
  if (peer.unsolicited >= FilteredBlocks::kMaxUnmatched) drop(peer.id, DisconnectReason::Flooding, now);
}

void Engine::drop(PeerId peer, DisconnectReason reason, util::Now now) {
  if (pool_.find(peer) == nullptr) return;
  out_.disconnect(peer, reason);
  forget(peer, std::string(to_string(reason)), reason, now);
}

void Engine::forget(PeerId id, std::string error, std::optional<DisconnectReason> reason, util::Now now) {
  const Peer* peer = pool_.find(id);
  if (peer == nullptr) return;
  if (peer->connected) out_.notify(PeerStateChanged{peer->address, error});
  scan_.remove_lane(id);
  relay_.on_peer_lost(id, now, out_);
  unfiltered_.erase(id);
  rebroadcast_.end(id, now, rng_);
  headers_.on_peer_lost(*peer);
  pool_.on_lost(id, std::move(error), reason, now, rng_);
}

void Engine::advance(util::Now now) {
  if (finished_ && !options_.follow) return;
  pool_.connect_due(now, rng_, out_);
  headers_.pump(now, out_);
  if (headers_.caught_up()) leave_weak_chains(now);
  if (!aligned_ && can_align()) {
    aligned_ = true;
    scan_.align(now, out_);
  }
  if (aligned_) run_scan(now);
  if (finished_ && at_rest() && std::exchange(partly_told_, false)) relay_.ask_again(now, out_);
  if (at_rest()) tip_events_.at_rest(chain_.tip(), scan_.wallet_version(), out_);
  if (options_.follow) tell_own_again(now);
  if (options_.follow) check_stale(now);
  check_finished(now);
}

// All that our peers know is less than the network has: none of them can tell what the wallet holds (H10).
void Engine::leave_weak_chains(util::Now now) {
  if (chain_.has_minimum_work()) return;
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) {
    if (peer.ready()) ids.push_back(id);
  }
  for (const PeerId id : ids) drop(id, DisconnectReason::TooLittleWork, now);
}

bool Engine::at_rest() const { return aligned_ && headers_.caught_up() && scan_.done(); }

chain::Height Engine::proven_height() const {
  if (chain_.has_minimum_work()) return chain_.height();
  const auto checkpoints = chain_.params().checkpoints;
  for (auto point = checkpoints.rbegin(); point != checkpoints.rend(); ++point) {
    if (point->height <= chain_.height()) return point->height;
  }
  return -1;
}

// Blocks are scanned while later headers still come; but a date needs headers of that day to become a height.
bool Engine::can_align() const {
  if (headers_.caught_up()) return chain_.has_minimum_work();
  const chain::Height proven = proven_height();
  const Standing standing = watcher_.standing();
  if (proven < std::max(standing.scanned_to.height, standing.birthday)) return false;
  return !standing.birthday_time || chain_.at(proven)->time > *standing.birthday_time;
}

void Engine::run_scan(util::Now now) {
  add_lanes();
  for (const auto& [id, peer] : pool_.peers()) {
    if (!scan_.has_lane(id)) continue;
    scan_.set_reach(id, peer.serves_to);
    ask_for_loose(peer, now);  // before blocks that would hold up the answer
  }
  scan_.expect_company(pool_.peers().size() > scan_.lanes());
  const auto convicted = scan_.pump(proven_height(), pool_.uses_book(), rng_, now, out_);
  // What was announced under a part of the filter is not all that there is.
  if (std::exchange(sliced_, scan_.is_sliced()) && !sliced_) {
    last_find_ = now.monotonic;
    partly_told_ = finished_;
  }
  drop_convicted(convicted, now);
  leave_laggards(now);
  if (at_rest()) relay_.release(now, out_);
}

// A node that offers no bloom filters hangs up when it is asked for its mempool. Without a filter one announces all
// transactions once it was told to; after the mempool, so that the first that it announces are the answer.
void Engine::ask_for_loose(const Peer& peer, util::Now now) {
  if (!offers_bloom(*peer.session)) return;
  if (!relay_.has_asked_mempool(peer.id)) relay_.ask_mempool(peer.id, now, out_);
  const bool wanted = relay_.mempool() != MempoolState::Skipped || options_.follow;
  if (!use_of(peer).filtered && wanted && unfiltered_.insert(peer.id).second) out_.send(peer.id, p2p::FilterClear{});
}

LaneUse Engine::use_of(const Peer& peer) const {
  const bool filtered = options_.source.mode != SourceMode::Blocks && offers_bloom(*peer.session);
  return {.filtered = filtered, .local = is_local(peer.address)};
}

void Engine::add_lanes() {
  const bool strict = relay_.mempool() == MempoolState::Skipped && !options_.follow;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || peer.courier || scan_.has_lane(id)) continue;
    if (!peer.caught_up && peer.serves_to < scan_.position()) continue;
    if (strict) out_.send(id, p2p::FeeFilter{kSilence});
    scan_.add_lane(id, strict, use_of(peer), out_);
  }
}

void Engine::leave_laggards(util::Now now) {
  if (!headers_.caught_up() || scan_.lanes() == 0 || scan_.can_go_on()) {
    lagging_since_.reset();
    return;
  }
  if (!lagging_since_) lagging_since_ = now.monotonic;
  if (now.monotonic < *lagging_since_ + kLagGrace) return;
  lagging_since_.reset();
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) {
    if (scan_.has_lane(id)) ids.push_back(id);
  }
  for (const PeerId id : ids) drop(id, DisconnectReason::Lagging, now);
}

// An answer holds for what the filter held when it was made: what the scan found later needs a second question.
bool Engine::mempool_settled(util::Now now) {
  const auto answers = [](const auto& item) { return item.second.ready() && offers_bloom(*item.second.session); };
  if (relay_.mempool() == MempoolState::Idle && std::ranges::none_of(pool_.peers(), answers)) return true;
  if (relay_.mempool() == MempoolState::Skipped) return true;
  if (last_find_ > relay_.asked_at()) relay_.ask_again(now, out_);
  return relay_.mempool() == MempoolState::Answered || relay_.mempool() == MempoolState::TimedOut;
}

void Engine::check_finished(util::Now now) {
  waits_for_peers_ = false;
  if (pool_.exhausted() && !gave_up_) return finish(failure(), now);
  if (finished_) return;
  if (!at_rest() || !mempool_settled(now)) return;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() && now.monotonic < started_at_ + kConnectGrace) waits_for_peers_ = true;
  }
  if (!waits_for_peers_) finish(std::nullopt, now);
}

void Engine::finish(std::optional<Failure> why, util::Now now) {
  finished_ = true;
  gave_up_ = why.has_value();
  scan_.flush(now, out_);
  out_.notify(Finished{std::move(why)});
}

Failure Engine::failure() const {
  const std::string tried = pool_.errors();
  if (pool_.any_lacked_bloom()) {
    return {
        Failure::Code::NoBloomPeers,
        "no peer offers bloom filters (NODE_BLOOM): " + tried +
            "; on your own node set peerbloomfilters=1 in bitcoin.conf and restart it, or take whole blocks from it "
            "(--source blocks)"};
  }
  if (pool_.any_lacked_blocks()) {
    return {Failure::Code::NoServingPeers,
            "no peer serves the best chain known here (height " + std::to_string(chain_.height()) + "): " + tried +
                "; use a peer that is up to date, or another --datadir if the network was started anew"};
  }
  return {Failure::Code::NoPeers,
          "no usable peer: " + tried +
              (pool_.uses_book() ? "; check the connection to the internet, or name a node with --connect"
                                 : "; check the address, that the node is running, and that it is on " +
                                       std::string(chain_.params().name))};
}

std::optional<util::TimePoint> Engine::next_deadline() const {
  if (finished_ && !options_.follow) return std::nullopt;
  std::optional<util::TimePoint> next = pool_.next_deadline();
  const auto consider = [&next](std::optional<util::TimePoint> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  consider(scan_.next_deadline());
  consider(relay_.deadline());
  if (options_.follow) consider(rebroadcast_.deadline());
  if (options_.follow && finished_) consider(tip_changed_at_ + kStaleAfter);
  if (lagging_since_) consider(*lagging_since_ + kLagGrace);
  if (waits_for_peers_) consider(started_at_ + kConnectGrace);
  return next;
}

Progress Engine::progress() const {
  Progress progress{.header_height = chain_.height(),
                    .headers_done = headers_.caught_up(),
                    .scanned = scan_.position() - 1,
                    .headers_added = headers_.added(),
                    .ready_peers = 0,
                    .announced_height = 0};
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready()) continue;
    ++progress.ready_peers;
    progress.announced_height = std::max(progress.announced_height, peer.session->remote()->start_height);
  }
  return progress;
}

}  // namespace spv::sync
