// What the library tells: balances, coins, history, addresses, and the events of a sync. Plain values.
// Amounts are satoshis; transactions and blocks are named by hex as block explorers print it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spv {

/// Which chain.
enum class NetworkId { Main, Testnet, Testnet4, Signet, Regtest };

/// The sums of a wallet, by what is proven up to its scanned height.
struct Balance {
  std::int64_t confirmed = 0;
  std::int64_t unconfirmed = 0;  ///< net effect of unconfirmed transactions; may be negative
  std::int64_t immature = 0;     ///< coinbase outputs that cannot be spent yet
  [[nodiscard]] std::int64_t total() const { return confirmed + unconfirmed + immature; }
};

/// An unspent output of the wallet.
struct Coin {
  std::string txid;
  std::uint32_t vout = 0;
  std::int64_t amount = 0;
  std::string address;                 ///< empty where the script has none
  std::string path;                    ///< of its key; empty where the origin is unknown
  std::optional<std::int32_t> height;  ///< absent while unconfirmed
  std::uint32_t confirmations = 0;
  bool spendable = false;
};

/// Where a transaction stands; a conflicted one counts nowhere.
enum class TxState { Confirmed, Unconfirmed, Conflicted };

/// A transaction of the wallet.
struct HistoryEntry {
  std::string txid;
  std::optional<std::int32_t> height;
  std::string block;                ///< its hash; empty while unconfirmed
  std::int64_t time = 0;            ///< of the block, else when it was first seen
  std::int64_t net = 0;             ///< what it adds to or takes from the wallet
  std::optional<std::int64_t> fee;  ///< known where all inputs are the wallet's
  std::uint32_t confirmations = 0;
  TxState state = TxState::Unconfirmed;
};

/// An address of the wallet.
struct Address {
  std::string address;
  std::string path;
  bool used = false;
  std::int64_t received = 0;
};

/// What a checked proof proves.
struct ProofFacts {
  std::string txid;
  std::string block;
  std::int32_t height = 0;
  std::int32_t confirmations = 0;
};

/// Where a wallet stands.
struct WalletStatus {
  std::int32_t scanned_to = -1;
  std::int32_t birthday = 0;
  bool watch_only = true;
  bool encrypted = false;
  std::size_t scripts = 0;  ///< watched
};

// --- events ---------------------------------------------------------------------------------------------------------

/// Where a sync stands; only the newest one waits in the queue.
struct ProgressEvent {
  std::int32_t headers = 0;    ///< height of the best header
  std::int32_t announced = 0;  ///< the highest block that a peer claims to have
  std::int32_t scanned = -1;   ///< all wallets are scanned up to here
  std::uint32_t peers = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};
/// All wallets are scanned up to a new block.
struct TipEvent {
  std::int32_t height = 0;
  std::string hash;
};
/// A transaction of a wallet is new, or stands elsewhere than before. It is on disk already.
struct TransactionEvent {
  std::string wallet;
  std::string txid;
  std::int64_t net = 0;
  std::optional<std::int32_t> height;  ///< absent while unconfirmed
};
/// The best chain left the old one at `fork_height`.
struct ReorganisationEvent {
  std::string from;
  std::string to;
  std::int32_t fork_height = 0;
};
/// A transaction can no longer be confirmed.
struct ConflictEvent {
  std::string wallet;
  std::string txid;
  std::string replaced_by;  ///< empty if not by one of this wallet
};
/// A peer came or went.
struct PeerEvent {
  std::string address;
  std::string state;  ///< "connected", or why it went
};
/// Something that a user should hear of.
struct WarningEvent {
  std::string message;
};
/// Every wallet is scanned up to the best header that the peers agree on.
struct SyncedEvent {
  std::int32_t height = 0;
};
/// The sync has ended and does not go on by itself; `code` is 0 (all is scanned, or stop() was called) or an ErrorCode.
struct StoppedEvent {
  int code = 0;
  std::string message;
};
using Event = std::variant<ProgressEvent, TipEvent, TransactionEvent, ReorganisationEvent, ConflictEvent, PeerEvent,
                           WarningEvent, SyncedEvent, StoppedEvent>;

}  // namespace spv
