#include "client/values.h"

#include "util/hex.h"
#include "util/overloaded.h"
#include "wallet/address.h"

namespace spv::client {

Coin to_coin(const wallet::Coin& coin, const wallet::Wallet& wallet, const chain::NetworkParams& params) {
  return {.txid = util::to_string(coin.outpoint.txid),
          .vout = coin.outpoint.index,
          .amount = coin.value,
          .address = wallet::address_of_script(coin.script, params).value_or(""),
          .path = wallet.path_of(coin.chain, coin.index),
          .height = coin.height,
          .confirmations = coin.confirmations,
          .spendable = coin.spendable};
}

HistoryEntry to_entry(const wallet::HistoryEntry& entry) {
  HistoryEntry out;
  out.txid = util::to_string(entry.txid);
  out.time = entry.first_seen;
  if (entry.confirmation) {
    out.height = entry.confirmation->block.height;
    out.block = util::to_string(entry.confirmation->block.hash);
    out.time = entry.confirmation->block_time;
  }
  out.net = entry.net;
  out.fee = entry.fee;
  out.confirmations = entry.confirmations;
  out.state = entry.status == wallet::TxStatus::Confirmed     ? TxState::Confirmed
              : entry.status == wallet::TxStatus::Unconfirmed ? TxState::Unconfirmed
                                                              : TxState::Conflicted;
  if (entry.replaced_by) out.replaced_by = util::to_string(*entry.replaced_by);
  return out;
}

namespace {

TransactionState to_state(wallet::TxStanding standing) {
  switch (standing) {
    case wallet::TxStanding::Unconfirmed:
      return TransactionState::Unconfirmed;
    case wallet::TxStanding::Confirmed:
      return TransactionState::Confirmed;
    case wallet::TxStanding::Conflicted:
      return TransactionState::Conflicted;
    case wallet::TxStanding::Forgotten:
      return TransactionState::Forgotten;
    case wallet::TxStanding::Locked:
      return TransactionState::Locked;
    case wallet::TxStanding::Abandoned:
      break;
  }
  return TransactionState::Abandoned;
}

WalletState to_state(store::WalletState state) {
  switch (state) {
    case store::WalletState::Added:
      return WalletState::Added;
    case store::WalletState::Synced:
      return WalletState::Synced;
    case store::WalletState::Removed:
      break;
  }
  return WalletState::Removed;
}

}  // namespace

TransactionEvent to_event(const std::string& wallet, const wallet::TxEvent& event, const chain::NetworkParams& params) {
  TransactionEvent out;
  out.wallet = wallet;
  out.txid = util::to_string(event.txid);
  out.net = event.net;
  out.state = to_state(event.state);
  if (event.confirmation) {
    out.height = event.confirmation->block.height;
    out.block = util::to_string(event.confirmation->block.hash);
  }
  if (event.replaced_by) out.replaced_by = util::to_string(*event.replaced_by);
  for (const auto& output : event.outputs) {
    out.outputs.push_back({output.vout, output.value, wallet::address_of_script(output.script, params).value_or(""),
                           static_cast<std::uint32_t>(output.chain), output.index});
  }
  return out;
}

LoggedData to_logged(const store::LoggedEvent& event, const chain::NetworkParams& params) {
  return std::visit(
      util::Overloaded{
          [&](const wallet::TxEvent& tx) -> LoggedData { return to_event(event.wallet, tx, params); },
          [](const store::TipEvent& tip) -> LoggedData {
            return TipEvent{tip.block.height, util::to_string(tip.block.hash)};
          },
          [](const store::ReorgEvent& reorg) -> LoggedData {
            return ReorganisationEvent{util::to_string(reorg.from), util::to_string(reorg.to), reorg.fork_height};
          },
          [&](const store::WalletEvent& told) -> LoggedData {
            return WalletEvent{event.wallet, to_state(told.state)};
          }},
      event.data);
}

Address to_address(const wallet::ScriptEntry& entry, const wallet::Wallet& wallet, const chain::NetworkParams& params) {
  return {wallet::address_of_script(entry.script, params).value_or(""), wallet.path_of(entry.chain, entry.index),
          entry.used, entry.received};
}

}  // namespace spv::client
