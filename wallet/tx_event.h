// TxEvent: what those who follow a wallet are told about one of its transactions. Each is stored in the commit that
// makes it true, so that none is lost and none is told twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"
#include "wallet/confirmation.h"
#include "wallet/tx_state.h"

namespace spv::wallet {

/// Where a transaction stands for those who follow the wallet. The numbers are those of the store.
enum class TxStanding : std::uint8_t {
  Unconfirmed = 0,
  Confirmed = 1,
  Conflicted = 2,  // another transaction that counts spends the same coin, or a coinbase off the chain
  Forgotten = 3,   // no peer has reported it for two weeks of blocks
  Locked = 4,      // no block may hold it yet
  Abandoned = 5,   // the user has given it up
};
inline constexpr TxStanding kLastTxStanding = TxStanding::Abandoned;
/// "unconfirmed", "confirmed", …
std::string_view to_string(TxStanding standing);

/// An output that pays the wallet.
struct OwnOutput {
  std::uint32_t vout = 0;
  chain::Amount value = 0;
  util::Bytes script;
  std::size_t chain = 0;    // key chain of the wallet
  std::uint32_t index = 0;  // index within it
  friend bool operator==(const OwnOutput&, const OwnOutput&) = default;
};

struct TxEvent {
  chain::Txid txid;
  TxStanding state = TxStanding::Unconfirmed;
  chain::Amount net = 0;                     // what it adds to the wallet
  std::optional<Confirmation> confirmation;  // of a confirmed one
  std::optional<chain::Txid> replaced_by;    // of a conflicted one: what counts instead, if that is held
  std::vector<OwnOutput> outputs;
  friend bool operator==(const TxEvent&, const TxEvent&) = default;
};

/// What was told last about a transaction.
struct Told {
  chain::Txid txid;
  TxStanding state = TxStanding::Unconfirmed;
  chain::Amount net = 0;
  std::optional<chain::BlockHash> block;
  friend bool operator==(const Told&, const Told&) = default;
};
Told told_by(const TxEvent& event);

}  // namespace spv::wallet
