#include "client/announcer.h"

#include <string>
#include <utility>

#include "util/overloaded.h"

namespace spv::client {
namespace {

wallet::SendState send_state_of(BroadcastState state) {
  switch (state) {
    case BroadcastState::Announced:
      return wallet::SendState::Announced;
    case BroadcastState::Fetched:
      return wallet::SendState::Fetched;
    case BroadcastState::Accepted:
    case BroadcastState::Confirmed:
      return wallet::SendState::Accepted;
    case BroadcastState::Uncertain:
      break;
  }
  return wallet::SendState::Uncertain;
}

spv::BroadcastState told_state(BroadcastState state) {
  switch (state) {
    case BroadcastState::Announced:
      return spv::BroadcastState::Announced;
    case BroadcastState::Fetched:
      return spv::BroadcastState::Fetched;
    case BroadcastState::Accepted:
      return spv::BroadcastState::Accepted;
    case BroadcastState::Confirmed:
      return spv::BroadcastState::Confirmed;
    case BroadcastState::Uncertain:
      break;
  }
  return spv::BroadcastState::Uncertain;
}

}  // namespace

void Announcer::reset() {
  synced_told_ = false;
  progress_.reset();
  tip_.reset();
  logged_tip_.reset();
}

void Announcer::notify(Shard& shard, const SyncEvent& event, const Shards& shards, OpenWallets& wallets) {
  std::visit(util::Overloaded{[&](const TipChanged& e) {
                                shard.tip = e.tip;
                                tell_tip(shards);
                                log_tip(shards, wallets);
                              },
                              [](const TransactionConflicted&) {},  // told by the wallets that hold it
                              [&](const BroadcastChanged& e) { tell_broadcast(e, shards, wallets); },
                              [&](const FeesKnown& e) {
                                events_.push(FeesEvent{e.floor, e.estimate, static_cast<std::uint32_t>(e.peers_heard)});
                              },
                              [&](const PeerStateChanged& e) {
                                events_.push(PeerEvent{e.address, e.state});
                              },
                              [&](const SyncFinished& e) {
                                if (!e.failed) on_finished(shard, shards, wallets);
                              },
                              [&](const auto&) {
                                if (shards.is_first(shard)) tell_chain(event);
                              }},
             event);
}

void Announcer::tell_chain(const SyncEvent& event) {
  const auto warn = [&](std::string message) { events_.push(WarningEvent{std::move(message)}); };
  if (const auto* done = std::get_if<ChainReorganised>(&event)) {
    events_.push(
        ReorganisationEvent{util::to_string(done->from.hash), util::to_string(done->to.hash), done->fork_height});
  } else if (const auto* held = std::get_if<ReorganisationHeld>(&event)) {
    warn("a chain with more work forks off at block " + std::to_string(held->fork_height) +
         "; waiting for a second peer to confirm it");
  } else if (const auto* stale = std::get_if<ChainStale>(&event)) {
    warn("no new block for " + std::to_string(stale->seconds / 60) +
         " minutes; the peers may be disconnected from the network");
  } else if (const auto* clock = std::get_if<ClockSuspected>(&event)) {
    warn("a block is " + std::to_string(clock->seconds) + " seconds ahead of this machine's clock; check the clock");
  }
}

void Announcer::on_finished(Shard& shard, const Shards& shards, OpenWallets& wallets) {
  shard.finished = true;
  if (shard.follows) shard.session.let_leave();
  wallets.tell_synced();
  if (!shards.all_finished() || std::exchange(synced_told_, true)) return;
  events_.push(SyncedEvent{shard.session.headers()->tip_height()});
}

void Announcer::tell_tip(const Shards& shards) {
  const auto tip = shards.common_tip();
  if (!tip || tip == tip_) return;
  tip_ = tip;
  events_.push(TipEvent{tip->height, util::to_string(tip->hash)});
}

void Announcer::log_tip(const Shards& shards, OpenWallets& wallets) {
  const auto tip = shards.common_tip();
  if (!tip || tip == logged_tip_) return;
  const auto chain = shards.chain_up_to(*tip);
  if (chain && wallets.tell_tip(*chain)) logged_tip_ = tip;
}

void Announcer::tell_broadcast(const BroadcastChanged& event, const Shards& shards, OpenWallets& wallets) {
  const auto accepted = static_cast<std::uint32_t>(event.peers_accepted);
  BroadcastEvent out{{}, util::to_string(event.txid), told_state(event.state), accepted, event.final};
  for (const auto id : shards.holders(event.txid)) {
    Held& held = wallets.at(id);
    if (held.lost) continue;
    if (!held.open.wallet.find(event.txid)->sending) continue;  // it is paid by it
    out.wallet = held.name;
    auto changes = held.open.wallet.set_send_state(event.txid, send_state_of(event.state), accepted);
    if (changes.empty()) continue;
    wallets.note(held.shard->session.take_changes());  // older than these
    wallets.keep(held, std::move(changes));
  }
  events_.push(std::move(out));
}

void Announcer::tell_progress(const ProgressEvent& progress) {
  const bool moved = !progress_ || progress_->headers != progress.headers || progress_->scanned != progress.scanned ||
                     progress_->peers != progress.peers;
  if (!moved) return;
  progress_ = progress;
  events_.push(progress);
}

}  // namespace spv::client
