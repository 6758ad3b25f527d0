// Client: the library's entry point. It opens a data directory, holds wallets, syncs them with the Bitcoin network by
// BIP37 filters, and reports events.
//
//   open --start--> running --stop/pause--> open --start/resume--> running ... --~Client--> closed, all on disk
//
// Threads. With start() the library runs one thread of its own, and every function may be called from any thread. With
// start_on() it runs on the caller's io_context, which must be run by one thread; call all functions from that thread.
// The callbacks of on_wake() and subscribe() run on the syncing thread. They may call everything except start, stop,
// pause, resume and network_changed, which would wait for the callback itself and return ErrorCode::State; so
// does opening a wallet that needs older headers than are stored. Callbacks must not throw; exceptions are ignored. The
// functions in Options (clock, log and so on) are called in the middle of the work and must not call the
// client at all.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <spv/result.h>
#include <spv/secret.h>
#include <spv/spending.h>
#include <spv/types.h>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv {

/// The current time: a monotonic clock (any origin) and the wall clock.
struct ClockReading {
  std::chrono::microseconds monotonic{};
  std::int64_t unix_time = 0;
};

/// Transport protocol: encrypted (V2, BIP324), unencrypted (V1), or encrypted if the peer supports it.
enum class Transport { Auto, V1, V2 };
/// Which blocks are also requested from a second peer, so that no peer can omit a payment: those with transactions of
/// the wallets and one in twenty of the others; none; or all.
enum class CrossCheck { Sample, Off, Full };
/// What is requested from peers: filtered blocks, full blocks that are matched locally, whichever is faster, or compact
/// block filters (BIP157) that are matched locally.
enum class Source { Filter, Blocks, Auto, Compact };

/// Settings of a client. The defaults suit a wallet on a public network and are those of `spv sync`, except that
/// `spv sync` ends at the tip.
struct Options {
  std::string data_dir;  ///< created with mode 0700 if it does not exist
  /// postgresql://USER@HOST/NAME: wallets and events are in this database; empty: in files of data_dir. Headers and the
  /// address book, which are public data, are always in data_dir.
  std::string database;
  /// Opens wallets by itself: all of data_dir, or of a database this process's share of all, which grows and shrinks as
  /// other processes come and go. Wallets that are created later too. Not with start_on().
  bool follow_all = false;
  NetworkId network = NetworkId::Unset;            ///< required
  std::vector<std::string> peers;                  ///< HOST, HOST:PORT or [IPV6]:PORT; if set, no others are used
  std::size_t peer_count = 8;                      ///< number of connections if `peers` is empty
  std::string proxy;                               ///< HOST[:PORT] of a SOCKS5 proxy, which also resolves names
  double fp_rate = 0;                              ///< false positive rate of the filter; 0: default
  std::chrono::milliseconds mempool_wait{10'000};  ///< 0: do not request unconfirmed transactions
  bool follow = true;                              ///< stay at the tip; false: end when all wallets are scanned
  bool whole_blocks = false;                       ///< same as Source::Blocks, for your own node
  std::uint64_t byte_budget = 0;        ///< end the sync after this many bytes, sent and received; 0: unlimited
  std::function<ClockReading()> clock;  ///< not set: the system's clocks
  /// Resolves a host name to numeric addresses; not set: the system's resolver. Called on a separate thread, may block.
  std::function<std::vector<std::string>(const std::string&)> lookup;
  /// Makes every connection: returns a connected stream socket to a host and port, which the library then owns, or -1.
  /// Called on a separate thread, may block. No name is resolved and no proxy is used. Neither stop() nor ~Client waits
  /// for it, or for `lookup`: what it refers to must outlive the call.
  std::function<int(const std::string&, std::uint16_t)> connector;
  /// Receives log lines, which contain no secrets: level (0 trace to 4 error) and text.
  std::function<void(int, std::string_view)> log;
  Transport transport = Transport::Auto;
  CrossCheck cross_check = CrossCheck::Sample;
  Source source = Source::Filter;
  std::uint64_t max_download =
      0;  ///< bytes of full blocks that Source::Auto may download from outside the local network
  /// With Transport::Auto: use V1, which is faster, for a node on this machine; not set: if full blocks may be used.
  std::optional<bool> plain_on_loopback;
  /// End the sync this long after start() or resume(), with ErrorCode::Timeout; 0: no limit.
  std::chrono::milliseconds timeout{0};
  /// start() fails with ErrorCode::Clock if the clock is hours behind a known block: new blocks would be rejected.
  bool check_clock = true;
  /// With Source::Filter: use nothing else. Otherwise compact block filters are used, too: those of a node on the local
  /// network, and where no peer offers bloom filters.
  bool only_bloom_filters = false;
};

/// Settings of a new or restored wallet.
struct WalletOptions {
  std::string script = "wpkh";  ///< pkh, sh-wpkh, wpkh, tr or all
  std::uint32_t account = 0;
  std::uint32_t gap_limit = 20;
  /// Scan from this block, by height or by time; neither: a new wallet starts now, others at genesis.
  std::optional<std::int32_t> birthday_height;
  std::optional<std::int64_t> birthday_time;
  Secret passphrase;        ///< encrypts the seed on disk; empty: only the file's mode protects it
  Secret bip39_passphrase;  ///< restore only
  std::size_t words = 12;   ///< create only: 12, 15, 18, 21 or 24
};

/// What a watch-only wallet watches: any number of each.
struct WatchOptions {
  std::vector<std::string> descriptors;  ///< BIP380-386, with or without checksum; <0;1> for receive and change
  std::vector<std::string> addresses;
  std::uint32_t gap_limit = 20;
  std::optional<std::int32_t> birthday_height;
  std::optional<std::int64_t> birthday_time;
};

class Client {
 public:
  /// Opens the data directory. No wallet is open yet, and nothing runs.
  static Result<Client> open(Options options);
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  /// Stops the sync; everything is on disk.
  ~Client();

  // --- wallets; they may be created, opened and closed while a sync runs ---
  /// Creates a wallet from new entropy, opens it, and returns its mnemonic, which is not shown again. Once the wallet
  /// exists the mnemonic is returned even if opening it fails; open_wallet() then gives the reason.
  Result<Secret> create_wallet(const std::string& name, const WalletOptions& options = {});
  /// Creates a wallet from a BIP39 mnemonic and opens it.
  Result<void> restore_wallet(const std::string& name, std::string_view mnemonic, const WalletOptions& options = {});
  /// Creates a watch-only wallet and opens it.
  Result<void> watch_wallet(const std::string& name, const WatchOptions& options);
  /// Opens a wallet in the data directory; does nothing if it is already open.
  Result<void> open_wallet(const std::string& name);
  /// Opens many wallets, which is quicker than one by one. All or none: if one cannot be opened, none is.
  Result<void> open_wallets(const std::vector<std::string>& names);
  /// Closes a wallet: it is no longer watched, and other processes may write to it.
  Result<void> close_wallet(const std::string& name);
  /// The names of all wallets, open or not; none if the database cannot be reached.
  [[nodiscard]] std::vector<std::string> wallets() const;

  // --- sync ---
  /// Syncs on a thread of the library. A wallet that is opened later is included. Restarts a sync that ended by itself;
  /// stop() is not needed first.
  Result<void> start();
  /// Syncs on the caller's loop, which must outlive the client or its stop(). Both must use the same Boost version.
  Result<void> start_on(boost::asio::io_context& io);
  /// Ends the sync. When it returns, everything found is on disk. With hundreds of wallets the scan heights of some may
  /// not be, and a few blocks are scanned again. Sends a StoppedEvent, even if nothing was running.
  Result<void> stop();
  /// Same as stop(), to be continued with resume(): for an app that goes to the background.
  Result<void> pause() { return stop(); }
  /// Continues a paused sync the way it was started: on a library thread, or on the loop given to start_on().
  Result<void> resume();
  /// Call this when the network connection changes (Wi-Fi to mobile): drops all peers and reconnects at once. Does
  /// nothing while paused, or after the sync ended by itself. If it fails, the sync has ended with a StoppedEvent.
  Result<void> network_changed();
  /// Sets the remaining byte budget; 0: unlimited. Takes effect at the next start() or resume().
  void set_byte_budget(std::uint64_t bytes);
  /// True from start() to the StoppedEvent.
  [[nodiscard]] bool running() const;

  // --- events: pulled, or pushed to a subscriber ---
  /// Returns the next event; waits up to `timeout` for one.
  std::optional<Event> next_event(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  /// Wakes all who wait for events, here or in wait_events(): from now on both return at once, with what there is. For
  /// the end, from any thread: join the threads that wait, then destroy the client.
  void interrupt();
  /// A file descriptor that is readable while events are waiting; only for poll().
  [[nodiscard]] int event_fd() const;
  /// Sets a callback for new events, on the syncing thread. When this returns, the previous callback will not be called
  /// again: it waits for a running one, so do not hold a lock that the callback takes.
  void on_wake(std::function<void()> wake);
  /// Sets a callback that receives each event, on the syncing thread; next_event() then returns nothing. Like
  /// on_wake(), it replaces the previous one.
  void subscribe(std::function<void(const Event&)> subscriber);

  // --- the event log: what happens to wallets and the chain, on disk with the change that it tells ---
  // Each change of a transaction is in it exactly once, whatever happens to the process; so are tips, reorganisations
  // and what becomes of wallets. Read it by number; a consumer deals with the events above its position, in order, and
  // acknowledges the last one.
  /// At most `limit` events above `after`, of one wallet or, with an empty name, of all wallets and the chain.
  [[nodiscard]] Result<std::vector<LoggedEvent>> events(std::int64_t after, std::size_t limit,
                                                        const std::string& wallet = "") const;
  /// The same; waits up to `timeout` for one.
  [[nodiscard]] Result<std::vector<LoggedEvent>> wait_events(std::int64_t after, std::size_t limit,
                                                             std::chrono::milliseconds timeout,
                                                             const std::string& wallet = "") const;
  /// The stored position of a consumer, by its name; 0 for one that has acknowledged nothing.
  [[nodiscard]] Result<std::int64_t> consumer_position(const std::string& consumer) const;
  /// Stores the position of a consumer: it has dealt with all events up to `seq`. It never goes back.
  Result<void> acknowledge(const std::string& consumer, std::int64_t seq);

  // --- contents of an open wallet ---
  [[nodiscard]] Result<Balance> balance(const std::string& wallet) const;
  [[nodiscard]] Result<std::vector<Coin>> coins(const std::string& wallet) const;
  /// Newest first.
  [[nodiscard]] Result<std::vector<HistoryEntry>> history(const std::string& wallet) const;
  /// One transaction of the wallet.
  [[nodiscard]] Result<HistoryEntry> transaction(const std::string& wallet, const std::string& txid) const;
  [[nodiscard]] Result<std::vector<Address>> addresses(const std::string& wallet) const;
  [[nodiscard]] Result<WalletStatus> status(const std::string& wallet) const;
  /// The first unused receive (or change) address; `next` selects one never handed out before. Saved before it returns.
  Result<Address> address(const std::string& wallet, bool next = false, bool change = false);
  /// A text that proves to anyone that this transaction is in a block.
  [[nodiscard]] Result<std::string> proof(const std::string& wallet, const std::string& txid) const;
  /// Checks such a proof against the local headers.
  [[nodiscard]] Result<ProofFacts> verify_proof(std::string_view proof) const;

  // --- spending; the wallet is open ---
  /// Chooses coins and change. The payment is not signed and nothing is stored: its PSBT goes to whoever has the keys.
  Result<Payment> create_payment(const std::string& wallet, const PaymentOptions& options);
  /// The same for the replacement of an unconfirmed payment at a higher fee, such as one of a watch-only wallet: signed
  /// elsewhere, it goes to broadcast().
  Result<Payment> create_bump(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                              std::uint32_t psbt_version = 0);
  /// Sends a finished transaction, in hex or as a complete PSBT, and returns its txid; a sync runs. If it spends the
  /// coins of an open wallet it is first stored there and its coins are reserved. BroadcastEvent tells what comes of
  /// it.
  Result<std::string> broadcast(std::string_view transaction);
  /// Gives up a payment that no peer has taken: its coins are free again. It may still confirm if a peer has it.
  Result<void> abandon(const std::string& wallet, const std::string& txid);
  /// Asks the peers for their fees; a sync runs. A FeesEvent is the answer, and the default fee rate for half an hour.
  Result<void> request_fees();

  // --- spending with keys; ErrorCode::Unsupported with SPV_WITH_SECRETS=OFF ---
  /// Creates, signs, checks and stores a payment, and sends it; a sync runs. Whatever fails, nothing was sent then. The
  /// passphrase of an unencrypted wallet is empty. BroadcastEvent tells what comes of it; a payment that no peer takes
  /// is sent again, so do not make it a second time: bump or abandon it.
  Result<Payment> send(const std::string& wallet, const PaymentOptions& options, const Secret& passphrase);
  /// The same, signed by keys that are held elsewhere.
  Result<Payment> send_with(const std::string& wallet, const PaymentOptions& options, const Signer& signer);
  /// Replaces an unconfirmed payment of the wallet by the same one at a higher fee.
  Result<Payment> bump(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                       const Secret& passphrase);
  Result<Payment> bump_with(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                            const Signer& signer);
  /// Replaces an unconfirmed payment of the wallet by one that returns all of it to the wallet.
  Result<Payment> cancel(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                         const Secret& passphrase);
  /// Adds the wallet's signatures to a PSBT: to all inputs of the wallet, or to none. What contradicts the wallet is
  /// refused. Show the user what it does before: the amounts and outputs are what is signed.
  Result<std::string> sign_psbt(const std::string& wallet, std::string_view psbt, const Secret& passphrase,
                                bool allow_high_fee = false);
  /// The same, by keys that are held elsewhere; the wallet may be watch-only.
  Result<std::string> sign_psbt_with(const std::string& wallet, std::string_view psbt, const Signer& signer,
                                     bool allow_high_fee = false);

 private:
  friend class ClientMaker;
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The version of the linked library, such as "0.1.0".
const char* version();

}  // namespace spv
