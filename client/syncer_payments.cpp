// How a Syncer stores payments and tells the network of them.
#include <utility>

#include "client/errors.h"
#include "client/syncer.h"

namespace spv::client {

std::optional<Error> Syncer::cannot_send(SyncState& state, const Held* held) {
  const Shard* shard = held != nullptr ? held->shard : state.shards.empty() ? nullptr : &state.shards.first();
  if (state.running && shard != nullptr && !shard->ended()) return std::nullopt;
  return Error{ErrorCode::State, "nothing can be sent while no sync runs; call start() first"};
}

Result<void> Syncer::store_payment(SyncState& state, Held& held, const chain::Transaction& tx,
                                   const wallet::OwnPaymentTerms& terms) {
  const auto now = setup_.clock().wall;
  if (held.shard != nullptr) {
    if (const auto added = held.shard->session.add_own(held.id, tx, now, terms); !added) {
      return Error{ErrorCode::Refused, added.error().message};
    }
    place_again(state, *held.shard);
  } else {
    auto changes = held.open.wallet.add_own(tx, wallet::SendState::Announced, now, terms);
    if (!changes) return Error{ErrorCode::Refused, changes.error().message};
    state.wallets.note({{held.id, std::move(*changes)}});
  }
  try {
    state.keep(held, {});
  } catch (...) {
    // It is never sent: its coins are free again, here and with the next commit in the file.
    if (auto undone = held.open.wallet.abandon(tx.txid())) state.wallets.note({{held.id, std::move(*undone)}});
    throw;
  }
  return {};
}

void Syncer::send_soon(SyncState& state, const Held* held, chain::Transaction tx) {
  Shard* shard = held != nullptr ? held->shard : &state.shards.first();
  later(*state.io, [this, shard, changed = held != nullptr, tx = std::move(tx)] {
    if (changed) on_wallets_changed(shard);
    tell_network(shard, tx);
  });
}

// The shard may be gone meanwhile, or wait for headers: any other serves as well. Where none is left, a payment that is
// stored is sent by the next sync.
void Syncer::tell_network(Shard* shard, const chain::Transaction& tx) {
  std::optional<sync::BroadcastRequested> request;
  {
    const auto state = state_.lock();
    if (!state->running || state->shards.empty()) return;
    if (!state->shards.contains(shard) || !shard->session.started()) shard = &state->shards.first();
    if (!shard->session.started()) return;
    request = shard->session.request_for(tx);
  }
  shard->session.broadcast(std::move(*request));
}

void Syncer::request_fees_soon(SyncState& state) {
  later(*state.io, [this] {
    Shard* first = nullptr;
    {
      const auto now = state_.lock();
      if (!now->running || now->shards.empty() || !now->shards.first().session.started()) return;
      first = &now->shards.first();
    }
    first->session.request_fees();
  });
}

}  // namespace spv::client
