// Results of the library: balances, coins, history, addresses, and the events of a sync. Plain values.
// Amounts are in satoshis. Txids and block hashes are hex, in the byte order of block explorers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spv {

/// The Bitcoin network.
enum class NetworkId { Unset, Testnet, Testnet4, Signet, Regtest, Main };

/// The balance of a wallet at its scanned height.
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
  std::string address;                 ///< empty if the script has no address
  std::string path;                    ///< derivation path of its key; empty if unknown
  std::optional<std::int32_t> height;  ///< not set while unconfirmed
  std::uint32_t confirmations = 0;
  bool spendable = false;
};

/// State of a transaction. A conflicted one counts nowhere.
enum class TxState { Confirmed, Unconfirmed, Conflicted };

/// A transaction of the wallet.
struct HistoryEntry {
  std::string txid;
  std::optional<std::int32_t> height;
  std::string block;                ///< block hash; empty while unconfirmed
  std::int64_t time = 0;            ///< block time, or when it was first seen
  std::int64_t net = 0;             ///< net effect on the wallet's balance
  std::optional<std::int64_t> fee;  ///< known if all inputs belong to the wallet
  std::uint32_t confirmations = 0;
  TxState state = TxState::Unconfirmed;
  std::string replaced_by;  ///< of a conflicted one: the transaction that counts instead; empty if not known
};

/// An address of the wallet.
struct Address {
  std::string address;
  std::string path;
  bool used = false;
  std::int64_t received = 0;
};

/// Result of a valid proof.
struct ProofFacts {
  std::string txid;
  std::string block;
  std::int32_t height = 0;
  std::int32_t confirmations = 0;
};

/// Scan state and settings of a wallet.
struct WalletStatus {
  std::int32_t scanned_to = -1;
  std::int32_t birthday = 0;
  bool watch_only = true;
  bool encrypted = false;
  std::size_t scripts = 0;  ///< number of watched scripts
};

// --- events ---

/// Progress of a sync. Only the latest one is kept in the queue.
struct ProgressEvent {
  std::int32_t headers = 0;    ///< height of the best header
  std::int32_t announced = 0;  ///< the highest block reported by a peer
  std::int32_t scanned = -1;   ///< all wallets are scanned up to this height
  std::uint32_t peers = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};
/// All wallets are scanned up to a new block, except those that are still catching up.
struct TipEvent {
  std::int32_t height = 0;
  std::string hash;
};
/// Where a transaction of a wallet stands.
enum class TransactionState {
  Unconfirmed,
  Confirmed,
  Conflicted,  ///< another one counts instead
  Forgotten,   ///< no peer has reported it for 2,016 blocks
  Locked,      ///< no block may contain it yet
  Abandoned    ///< given up by its user
};
/// An output that pays the wallet.
struct PaidOutput {
  std::uint32_t vout = 0;
  std::int64_t amount = 0;
  std::string address;      ///< empty if the script has none
  std::uint32_t chain = 0;  ///< which of the wallet's descriptors: receive before change
  std::uint32_t index = 0;  ///< index of the address in it
};
/// A transaction of a wallet is new, or its state or block has changed: told once for each change, when it is on disk.
/// Nothing is told while blocks are missing, except that a reorganisation has unconfirmed it.
struct TransactionEvent {
  std::string wallet;
  std::string txid;
  std::int64_t net = 0;
  std::optional<std::int32_t> height;  ///< of a confirmed one
  TransactionState state = TransactionState::Unconfirmed;
  std::string block;        ///< hash; of a confirmed one
  std::string replaced_by;  ///< of a conflicted one: the transaction that counts instead, if known
  std::vector<PaidOutput> outputs;
};
/// The best chain changed: it leaves the old one at `fork_height`.
struct ReorganisationEvent {
  std::string from;
  std::string to;
  std::int32_t fork_height = 0;
};
/// What became of a wallet.
enum class WalletState {
  Added,
  Synced,  ///< scanned to the tip for the first time since it was added or rescanned
  Removed
};
/// A wallet was added, is synced, or was removed. Only the log has these.
struct WalletEvent {
  std::string wallet;
  WalletState state = WalletState::Added;
};
using LoggedData = std::variant<TransactionEvent, TipEvent, ReorganisationEvent, WalletEvent>;
/// An event of the log, which keeps what happens to the wallets of a data directory or database, and to the chain, in
/// one order. Tips and reorganisations are told once for all processes that share it.
struct LoggedEvent {
  std::int64_t seq = 0;   ///< only grows; nothing appears later below one that was read
  std::int64_t time = 0;  ///< when it was stored
  LoggedData event;
  /// Null if it is about something else.
  [[nodiscard]] const TransactionEvent* transaction() const { return std::get_if<TransactionEvent>(&event); }
};
/// A peer connected or disconnected.
struct PeerEvent {
  std::string address;
  std::string state;  ///< "connected", or the reason for disconnecting
};
/// Something the user should know.
struct WarningEvent {
  std::string message;
};
/// Every wallet is scanned up to the best header that the peers agree on.
struct SyncedEvent {
  std::int32_t height = 0;
};
/// The sync has ended. `code` is 0 (everything is scanned, or stop() was called) or an ErrorCode.
struct StoppedEvent {
  int code = 0;
  std::string message;
};
/// What is known of a transaction that was sent, the stronger the evidence the later.
enum class BroadcastState {
  Uncertain,  ///< no peer has taken it yet; it is sent again
  Announced,  ///< a peer was told
  Fetched,    ///< a peer took it, but may have refused it
  Accepted,   ///< a peer that it was not sent to has it
  Confirmed,  ///< a block has it
};
/// A transaction that was sent is known to have come further. What a wallet of ours pays is already on disk.
struct BroadcastEvent {
  std::string wallet;  ///< whose payment it is; empty if it is not an open wallet's
  std::string txid;
  BroadcastState state = BroadcastState::Uncertain;
  std::uint32_t peers_accepted = 0;  ///< peers that it was not sent to and that have it
  bool final = false;                ///< nothing more is waited for
};
/// What peers say about fees, after request_fees(), in satoshis per 1,000 virtual bytes. None of it is proven.
struct FeesEvent {
  std::optional<std::int64_t> floor;     ///< below it most peers relay nothing
  std::optional<std::int64_t> estimate;  ///< what recent blocks earned
  std::uint32_t peers = 0;               ///< how many said what they relay
};
using Event = std::variant<ProgressEvent, TipEvent, TransactionEvent, ReorganisationEvent, PeerEvent, WarningEvent,
                           SyncedEvent, StoppedEvent, BroadcastEvent, FeesEvent>;

}  // namespace spv
