// The outbox of a wallet file: what those who follow the wallet are told, written in the transaction of the change and
// numbered from 1 on; and what was told last about each transaction.
#pragma once

#include <cstdint>
#include <vector>

#include "store/database.h"
#include "store/logged_event.h"
#include "util/time.h"
#include "wallet/tx_event.h"

namespace spv::store {

struct StoredEvent {
  std::int64_t number = 0;
  util::UnixTime time = 0;  // when it was stored
  EventData event;
};

// All within a transaction.
std::vector<wallet::Told> read_told(Database& db);
void write_told(Database& db, const std::vector<wallet::Told>& told);
void write_events(Database& db, const std::vector<wallet::TxEvent>& events, util::UnixTime now);
/// Whether it was told that the wallet is synced, see wallet::WalletState.
[[nodiscard]] bool read_synced(Database& db);
void write_synced(Database& db, bool synced);
/// That, and the event.
void tell_synced(Database& db, util::UnixTime now);
/// The number of the last one ever; 0: none.
[[nodiscard]] std::int64_t last_event(Database& db);
/// The next one gets a number above this.
void skip_events(Database& db, std::int64_t number);
/// At most `limit` of those with numbers above `after`, in order.
std::vector<StoredEvent> read_events(Database& db, std::int64_t after, std::size_t limit);

}  // namespace spv::store
