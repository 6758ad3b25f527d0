// Where a transaction of the wallet stands: in the chain, with the network, and if it counts nowhere, why.
#pragma once

#include <cstdint>
#include <string_view>

namespace spv::wallet {

/// A conflicted one counts nowhere.
enum class TxStatus { Confirmed, Unconfirmed, Conflicted };
std::string_view to_string(TxStatus status);

/// Why a transaction counts nowhere. The first that applies; what spends from it counts nowhere for the same reason.
enum class SetApart {
  No,         // it counts
  Conflict,   // another transaction that counts spends the same coin, or it is a coinbase off the chain
  Forgotten,  // no peer has reported it for kForgetAfter blocks; never one that this wallet made
  Locked,     // no block may hold it yet (lock time, BIP68)
  Abandoned,  // the user has given it up
  NotSent,    // made and kept: nobody has it
};
std::string_view to_string(SetApart reason);

/// How far a transaction that this wallet made has got. The numbers are those of the store.
enum class SendState : std::uint8_t {
  NotSent = 0,    // stored, its coins are reserved, nobody has it
  Announced = 1,  // peers were told of it, none has answered yet
  Fetched = 2,    // a peer has taken it
  Accepted = 3,   // a peer that we did not give it to has it, or a block
  Uncertain = 4,  // no peer took it in time; it is told again
  Abandoned = 5,  // the user has given it up
};
inline constexpr SendState kLastSendState = SendState::Abandoned;
/// "not-sent", "announced", …
std::string_view to_string(SendState state);

/// Of a transaction that this wallet made.
struct Sending {
  SendState state = SendState::NotSent;
  std::uint32_t peers_accepted = 0;  // how many peers have announced it back
  friend bool operator==(const Sending&, const Sending&) = default;
};

/// Whether peers have it or may have it.
constexpr bool is_out(SendState state) { return state != SendState::NotSent && state != SendState::Abandoned; }
/// Whether it is known that somebody took it.
constexpr bool is_taken(SendState state) { return state == SendState::Fetched || state == SendState::Accepted; }

}  // namespace spv::wallet
