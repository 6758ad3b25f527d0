// WriteBatch: what became true of any number of wallets, as commands for one transaction: one for each table. It keeps
// references: what is added must stay until commands() was called.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/event_rows.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::store::postgres {

class WriteBatch {
 public:
  using WalletId = std::int64_t;

  void add_transactions(WalletId wallet, const std::vector<wallet::TxRecord>& records);
  /// Of a chain that is stored.
  void set_key_chain(WalletId wallet, std::size_t chain, const wallet::KeyChainState& state);
  void add_scripts(WalletId wallet, const wallet::ChainScripts& scripts);
  /// Scripts of a wallet were not known when it got some of its transactions: look through them again, see
  /// look_through().
  void look_for_coins(WalletId wallet) { owners_.insert(wallet); }
  void look_through(const chain::Txid& txid, const chain::Transaction& tx) { outputs_.try_emplace(txid, &tx); }
  void set_scan(WalletId wallet, const wallet::ScanState& scan) { scans_.emplace_back(wallet, &scan); }
  void set_birthday(WalletId wallet, chain::Height height) { birthdays_.emplace_back(wallet, height); }
  void set_told(WalletId wallet, const std::vector<wallet::Told>& told);
  /// That it is synced is told with it; or is to be told once more.
  void set_synced(WalletId wallet, bool synced);
  /// In this order; they count as told.
  void add_events(WalletId wallet, const std::vector<wallet::TxEvent>& events);

  /// `now`: the time of the events.
  [[nodiscard]] std::vector<Command> commands(util::UnixTime now) const;

 private:
  struct ChainRow {
    WalletId wallet;
    std::int16_t chain;
    wallet::KeyChainState state;
  };
  void put_transactions(std::vector<Command>& out) const;
  void put_wallet_transactions(std::vector<Command>& out) const;
  void put_key_chains(std::vector<Command>& out) const;
  void put_scripts(std::vector<Command>& out) const;
  void put_coins(std::vector<Command>& out) const;
  void put_scans(std::vector<Command>& out) const;
  void put_birthdays(std::vector<Command>& out) const;
  void put_told(std::vector<Command>& out) const;
  void put_synced(std::vector<Command>& out) const;

  std::map<chain::Txid, const chain::Transaction*> transactions_;
  std::vector<std::pair<WalletId, const wallet::TxRecord*>> wallet_transactions_;
  std::vector<ChainRow> key_chains_;
  std::vector<std::pair<WalletId, const wallet::ChainScripts*>> scripts_;
  std::map<chain::Txid, const chain::Transaction*> outputs_;  // where coins are looked for
  std::set<WalletId> owners_;                                 // for whom
  std::vector<std::pair<WalletId, const wallet::ScanState*>> scans_;
  std::vector<std::pair<WalletId, chain::Height>> birthdays_;
  std::map<std::pair<WalletId, chain::Txid>, wallet::Told> told_;
  std::vector<std::pair<WalletId, bool>> synced_;
  EventRows events_;
};

}  // namespace spv::store::postgres
