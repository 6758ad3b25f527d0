// What peers say: each message goes to the part of the engine that waits for it.
#include <algorithm>
#include <utility>

#include "sync/engine/engine.h"

namespace spv::sync {

void Engine::on(MessageReceived&& input, util::Now now) {
  Peer* peer = pool_.find(input.peer);
  if (peer == nullptr || !peer->session) return;
  auto result = peer->session->handle(input.message, now);
  const bool forward = result.forward;
  take_session_result(*peer, std::move(result), now);
  if (!forward || pool_.find(input.peer) == nullptr) return;
  std::visit([&](auto&& message) { on_message(*peer, std::forward<decltype(message)>(message), now); },
             std::move(input.message));
}

std::vector<Action> Engine::ahead(const Input& input, util::Now now) {
  const auto* received = std::get_if<MessageReceived>(&input);
  const auto* headers = received == nullptr ? nullptr : std::get_if<p2p::Headers>(&received->message);
  const Peer* peer = headers == nullptr ? nullptr : pool_.find(received->peer);
  if (peer != nullptr && peer->session && peer->session->ready()) headers_.ask_ahead(peer->id, *headers, now, out_);
  return out_.take();
}

void Engine::on_message(const Peer& peer, const p2p::Headers& message, util::Now now) {
  const auto result = headers_.on(peer.id, message, now, out_);
  if (result.progress) pool_.note_progress(peer.id);
  if (result.update.tip_changed()) lag_.on_tip_changed(now.monotonic);
  if (result.update.tip_changed()) on_reorganised(result.update, now);
  if (result.fault) drop(peer.id, *result.fault, now);
  note_doubts(now);
}

void Engine::on_reorganised(const chain::ChainUpdate& update, util::Now now) {
  if (!update.is_reorganisation()) return;
  const chain::Height fork = *update.fork_height;
  out_.notify(ChainReorganised{update.old_tip, update.new_tip, fork});
  if (is_aligned()) {
    scan_.on_reorganised({fork, *chain_.hash_at(fork)}, now, out_);
  } else {
    scan_.on_left_above(fork);
  }
}

void Engine::on_message(const Peer& peer, const p2p::Inv& message, util::Now now) {
  // The last one alone: its headers bring the others, and an inv may name 50,000.
  const auto is_block = [](const p2p::InventoryItem& item) { return item.type == p2p::InventoryType::Block; };
  const auto last = std::find_if(message.items.rbegin(), message.items.rend(), is_block);
  if (last != message.items.rend()) {
    headers_.on_block_announced(peer.id, util::retag<chain::BlockHash>(last->hash), now, out_);
  }
  errands_.herald.on(peer, message, now);
  // For errands alone peers announce everything, and none of it is fetched.
  if (options_.errands.scan) relay_.on(peer.id, message, now, out_);
}

void Engine::on_message(const Peer& peer, const p2p::GetData& message, util::Now now) {
  errands_.courier.on(peer.id, message, out_);
  errands_.herald.on(peer.id, message, rng_, now, out_);
}

void Engine::on_message(const Peer& peer, const p2p::NotFound& message, util::Now now) {
  relay_.on(peer.id, message, now, out_);
}

bool Engine::follow_up(PeerId peer, const ScanStep& step, util::Now now) {
  if (step.found && !relay_.is_holding()) mempool_.on_found(now);
  if (step.applied) pool_.note_progress(peer);
  headers_.on_other_progress(peer, now);
  if (step.fault) drop(peer, *step.fault, now);
  drop_convicted(step.convicted, now);
  return pool_.find(peer) != nullptr;
}

void Engine::on_message(const Peer& peer, p2p::MerkleBlock&& message, util::Now now) {
  if (!scan_.has_lane(peer.id)) return;
  follow_up(peer.id, scan_.on(peer.id, message, now, out_), now);
}

void Engine::on_message(const Peer& peer, p2p::Block&& message, util::Now now) {
  const PeerId id = peer.id;
  if (scan_.has_lane(id)) {
    const ScanStep step = scan_.on(id, message, now, out_);
    if (!follow_up(id, step, now) || step.taken) return;
  }
  count_unsolicited(id, Unsolicited::kLarge, now);
}

void Engine::on_message(const Peer& peer, p2p::Tx&& message, util::Now now) {
  const PeerId id = peer.id;
  chain::Transaction& tx = message.transaction;
  const chain::Txid txid = message.txid();
  if (errands_.herald.on_tx(id, txid, now) && !relay_.has_asked(id, txid)) return;
  if (scan_.has_lane(id)) {
    const ScanStep step = scan_.on(id, tx, txid, now, out_);
    if (!follow_up(id, step, now) || step.taken) return;
  }
  const bool expected = relay_.has_asked(id, txid) || scan_.excuses(id, tx, txid);
  watcher_.on_tip(chain_.height());
  auto effect = relay_.on(id, std::move(tx), txid, now, out_);
  if (!expected && unsolicited_.add(id)) return drop(id, DisconnectReason::UnmatchedTransactions, now);
  if (effect.empty()) return;
  if (effect.widened_from) mempool_.on_found(now);
  // The inputs of a payment on its way are watched from now on: a double spend of them may pay someone else.
  if (options_.follow) scan_.watch_inputs(effect);
  scan_.on_unconfirmed(effect, now, out_);
}

void Engine::on_message(const Peer& peer, const p2p::Pong& message, util::Now now) {
  if (errands_.herald.on(peer.id, message, now) || !scan_.has_lane(peer.id)) return;
  const auto known = [this](const chain::Txid& txid) {
    const auto* recent = relay_.find_recent(txid);
    return recent != nullptr ? recent : watcher_.find(txid);
  };
  follow_up(peer.id, scan_.on(peer.id, message, known, now, out_), now);
}

void Engine::on_message(const Peer& peer, const p2p::Addr& message, util::Now now) {
  pool_.on_addresses(peer, message, now, rng_);
}

void Engine::on_message(const Peer& peer, const p2p::AddrV2& message, util::Now now) {
  pool_.on_addresses(peer, message, now, rng_);
}

void Engine::on_message(const Peer& peer, const p2p::FeeFilter& message, util::Now) {
  errands_.fees.on(peer.id, message);
}

void Engine::on_message(const Peer& peer, const p2p::BlockTxn& message, util::Now now) {
  if (!errands_.fees.on(peer.id, message)) count_unsolicited(peer.id, Unsolicited::kLarge, now);
}

void Engine::on_message(const Peer& peer, const p2p::CFilter& message, util::Now now) {
  const PeerId id = peer.id;
  if (scan_.has_lane(id)) {
    const ScanStep step = scan_.on(id, message, now, out_);
    if (!follow_up(id, step, now) || step.taken) return;
  }
  count_unsolicited(id, Unsolicited::kLarge, now);
}

void Engine::on_message(const Peer& peer, const p2p::CFHeaders& message, util::Now now) {
  const PeerId id = peer.id;
  if (scan_.has_lane(id)) {
    const ScanStep step = scan_.on(id, message);
    if (!follow_up(id, step, now) || step.taken) return;
  }
  count_unsolicited(id, 1, now);
}

void Engine::on_message(const Peer& peer, const p2p::CFCheckpt&, util::Now now) { count_unsolicited(peer.id, 1, now); }

void Engine::count_unsolicited(PeerId peer, std::size_t weight, util::Now now) {
  if (unsolicited_.add(peer, weight)) drop(peer, DisconnectReason::Flooding, now);
}

}  // namespace spv::sync
