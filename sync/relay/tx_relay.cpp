#include "sync/relay/tx_relay.h"

#include <algorithm>
#include <utility>

namespace spv::sync {
namespace {

FetchQueue::Limits limits_of(bool unfiltered) {
  if (!unfiltered) return {};
  return {.queued = TxRelay::kMaxUnfiltered, .remembered = TxRelay::kMaxUnfiltered};
}

}  // namespace

TxRelay::TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered)
    : watcher_(watcher),
      holding_(unfiltered),
      mempool_(wait, unfiltered ? kMaxUnfilteredOverrun : kMaxOverrun),
      fetches_(limits_of(unfiltered)) {}

// What meant nothing when it came may mean something by now, so a new wait fetches it again.
void TxRelay::ask_mempool(PeerId peer, util::Now now, Outbox& out) {
  if (mempool_.state() == MempoolState::Skipped) return;
  if (mempool_.ask(peer, now.monotonic)) fetches_.forget_delivered();
  out.send(peer, p2p::Mempool{});
}

void TxRelay::ask_again(util::Now now, Outbox& out) {
  for (const PeerId peer : mempool_.restart()) ask_mempool(peer, now, out);
}

void TxRelay::release(util::Now now, Outbox& out) {
  if (!std::exchange(holding_, false)) return;
  mempool_.extend_to(now.monotonic);
  request_more(now, out);
}

void TxRelay::request_more(util::Now now, Outbox& out) {
  if (!holding_) fetches_.request(now, out);
  mempool_.settle(!fetches_.empty());
}

void TxRelay::on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out) {
  if (fetches_.on(peer, message)) mempool_.on_announced(peer);
  request_more(now, out);
}

void TxRelay::on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out) {
  fetches_.on(peer, message);
  request_more(now, out);
}

WatchEffect TxRelay::on(PeerId peer, chain::Transaction tx, const chain::Txid& txid, util::Now now, Outbox& out) {
  WatchEffect effect;
  if (has_asked(peer, txid)) {
    fetches_.on_delivered(peer, txid);
    // The wallet keeps what means nothing yet for a while: a child may come before its parent.
    effect = watcher_.on_unconfirmed(tx, now.wall);
    request_more(now, out);
  }
  recent_.add(txid, std::move(tx));
  return effect;
}

void TxRelay::on_peer_lost(PeerId peer, util::Now now, Outbox& out) {
  fetches_.on_peer_lost(peer);
  mempool_.on_peer_lost(peer);
  request_more(now, out);
}

void TxRelay::tick(util::Now now, Outbox& out) {
  fetches_.give_up_overdue(now);
  request_more(now, out);
  if (!holding_) mempool_.tick(!fetches_.empty(), now.monotonic);
}

std::optional<util::TimePoint> TxRelay::deadline() const {
  const auto wait = holding_ ? std::nullopt : mempool_.deadline(!fetches_.empty());
  const auto fetch = fetches_.deadline();
  if (!wait || !fetch) return wait ? wait : fetch;
  return std::min(*wait, *fetch);
}

}  // namespace spv::sync
