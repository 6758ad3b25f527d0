// Client: the library's one door. It opens a data directory, keeps wallets, syncs them with the Bitcoin network by
// BIP37 filters, and tells what happened.
//
//   open --start--> running --stop/pause--> open --start/resume--> running ... --~Client--> closed, all on disk
//
// Threads. With start() the library runs one thread of its own, and every function may be called from any thread. With
// start_on() it runs on the caller's io_context, which one thread runs; all functions are then called from that thread.
// on_wake() and subscribe() are called back on the thread that syncs. Such a callback may call everything but start,
// stop, pause, resume and network_changed, which would wait for the callback itself: they return ErrorCode::State, and
// so does a wallet that needs older headers than are here. Callbacks must not throw: what they do is passed over. What
// Options has (clock, log, wallet_store and the like) is called in the midst of the work: it may not call the client at
// all.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <spv/result.h>
#include <spv/secret.h>
#include <spv/types.h>
#include <spv/wallet_store.h>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv {

/// This instant by a clock that never jumps (any origin) and by the wall clock.
struct ClockReading {
  std::chrono::microseconds monotonic{};
  std::int64_t unix_time = 0;
};

/// How peers are spoken with: encrypted (V2, BIP324), plain (V1), or encrypted where the peer knows how.
enum class Transport { Auto, V1, V2 };
/// Which blocks a second peer is asked for, so that none can hide a payment: those with something of the wallets and
/// one in twenty of the others, none, or all.
enum class CrossCheck { Sample, Off, Full };
/// What peers are asked for: filtered blocks, whole ones that are matched here, or what takes less time.
enum class Source { Filter, Blocks, Auto };

/// How a client works; the defaults suit a wallet on the open network. `spv sync` has the same ones, but ends at the
/// tip.
struct Options {
  std::string data_dir;  ///< made with mode 0700 if it is not there
  NetworkId network = NetworkId::Testnet4;
  std::vector<std::string> peers;                  ///< HOST, HOST:PORT or [IPV6]:PORT; if any, no others are used
  std::size_t peer_count = 8;                      ///< connections to keep where peers are found by themselves
  std::string proxy;                               ///< HOST[:PORT] of a SOCKS5 proxy; no name is looked up then
  double fp_rate = 0;                              ///< of a filter; 0: the library's default
  std::chrono::milliseconds mempool_wait{10'000};  ///< 0: unconfirmed transactions are not asked for at the start
  bool follow = true;                              ///< stay at the tip; false: end when all wallets are scanned
  bool whole_blocks = false;                       ///< short for Source::Blocks: for one's own node
  std::uint64_t byte_budget = 0;        ///< the sync ends after so many bytes in both directions; 0: no bound
  std::function<ClockReading()> clock;  ///< none: the system's clocks
  /// Host name to addresses in digits; none: the system's. Called from a thread of its own, may block.
  std::function<std::vector<std::string>(const std::string&)> lookup;
  /// Makes every connection instead of the system: a connected stream socket to a host and port, which is the
  /// library's then, or -1. Called from a thread of its own, may block; no name is looked up and no proxy is used.
  /// Neither stop() nor ~Client waits for it, nor for `lookup`: what it refers to must live as long as it runs.
  std::function<int(const std::string&, std::uint16_t)> connector;
  /// Keeps the wallets; none: files in data_dir. Headers and known peers, which are public, stay in files.
  std::shared_ptr<WalletStore> wallet_store;
  /// Log lines without secrets: level (0 trace to 4 error) and text.
  std::function<void(int, std::string_view)> log;
  Transport transport = Transport::Auto;
  CrossCheck cross_check = CrossCheck::Sample;
  Source source = Source::Filter;
  std::uint64_t max_download = 0;  ///< bytes of whole blocks that Source::Auto may take from beyond the local network
  /// With Transport::Auto, plain for a node on this machine, which is quicker; not given: where whole blocks may come.
  std::optional<bool> plain_on_loopback;
  /// The sync ends so long after start() or resume(), with ErrorCode::Timeout; 0: no limit.
  std::chrono::milliseconds timeout{0};
  /// start() gives ErrorCode::Clock where the clock is hours behind a known block: no new block would be taken.
  bool check_clock = true;
};

/// A new or restored wallet.
struct WalletOptions {
  std::string script = "wpkh";  ///< pkh, sh-wpkh, wpkh, tr or all
  std::uint32_t account = 0;
  std::uint32_t gap_limit = 20;
  /// The first block that may concern it, by height or by time; neither: a fresh wallet starts now, others at genesis.
  std::optional<std::int32_t> birthday_height;
  std::optional<std::int64_t> birthday_time;
  Secret passphrase;        ///< encrypts the seed at rest; empty: the file's mode alone protects it
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
  /// Opens the data directory; no wallet is open yet and nothing runs.
  static Result<Client> open(Options options);
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;
  /// Stops, and leaves all on disk.
  ~Client();

  // --- wallets; all of them may be opened and closed while a sync runs -----------------------------------------------
  /// Makes a wallet from fresh entropy, opens it, and gives its mnemonic, which is not shown again. Once the wallet is
  /// made its words are given, even if it cannot be opened then: open_wallet() says why.
  Result<Secret> create_wallet(const std::string& name, const WalletOptions& options = {});
  /// Makes a wallet from a BIP39 mnemonic and opens it.
  Result<void> restore_wallet(const std::string& name, std::string_view mnemonic, const WalletOptions& options = {});
  /// Makes a wallet without keys and opens it.
  Result<void> watch_wallet(const std::string& name, const WatchOptions& options);
  /// Opens a wallet of the data directory; to open it twice is no error.
  Result<void> open_wallet(const std::string& name);
  /// Closes it: it is no longer watched, and other processes may write it.
  Result<void> close_wallet(const std::string& name);
  /// The names of all wallets in the data directory, open or not.
  [[nodiscard]] std::vector<std::string> wallets() const;

  // --- sync
  // -----------------------------------------------------------------------------------------------------------
  /// Syncs on a thread of the library's. A wallet that is opened later is taken in as it comes. After a sync that ended
  /// by itself it starts anew; no stop() needs to come before.
  Result<void> start();
  /// Syncs on the caller's loop, which must outlive the client or its stop(). The caller's Boost is the library's.
  Result<void> start_on(boost::asio::io_context& io);
  /// Ends the sync; all that was found is on disk when it returns. How far a wallet is scanned may not be, where there
  /// are hundreds: then a few blocks are looked at again. A StoppedEvent ends those who wait for events, even if
  /// nothing runs.
  Result<void> stop();
  /// The same, to go on by resume() as it was started: for an app that goes to the background.
  Result<void> pause() { return stop(); }
  /// Goes on: on a thread of the library's, or on the loop that start_on() was given.
  Result<void> resume();
  /// The way to the network is another one (Wi-Fi to mobile): leaves all peers and connects anew, at once. Nothing
  /// happens while it is paused, or after it ended by itself. Where it fails, the sync has ended with a StoppedEvent.
  Result<void> network_changed();
  /// Sets what is left of the byte budget; 0: no bound. Counts from the next start() or resume().
  void set_byte_budget(std::uint64_t bytes);
  /// True from start() to the StoppedEvent.
  [[nodiscard]] bool running() const;

  // --- events: pulled, or pushed to a subscriber
  // ----------------------------------------------------------------------
  /// The next event; waits for one, up to `timeout`.
  std::optional<Event> next_event(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  /// A descriptor that is readable while events wait; to be polled only.
  [[nodiscard]] int event_fd() const;
  /// Called after events came in, on the thread that syncs. When this returns, the one before is not called any more:
  /// it waits for one that runs, so hold no lock that the callback takes.
  void on_wake(std::function<void()> wake);
  /// Called with each event, on the thread that syncs; next_event() gives nothing then. Replaced as on_wake() is.
  void subscribe(std::function<void(const Event&)> subscriber);

  // --- what a wallet holds; the wallet is open
  // ------------------------------------------------------------------------
  [[nodiscard]] Result<Balance> balance(const std::string& wallet) const;
  [[nodiscard]] Result<std::vector<Coin>> coins(const std::string& wallet) const;
  /// Newest first.
  [[nodiscard]] Result<std::vector<HistoryEntry>> history(const std::string& wallet) const;
  [[nodiscard]] Result<std::vector<Address>> addresses(const std::string& wallet) const;
  [[nodiscard]] Result<WalletStatus> status(const std::string& wallet) const;
  /// The first unused receive (or change) address; `next` moves on to one never handed out. On disk when it returns.
  Result<Address> address(const std::string& wallet, bool next = false, bool change = false);
  /// A text that proves to anybody that a block holds this transaction.
  [[nodiscard]] Result<std::string> proof(const std::string& wallet, const std::string& txid) const;
  /// Checks such a text against the headers verified here.
  [[nodiscard]] Result<ProofFacts> verify_proof(std::string_view proof) const;

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// "0.1.0": the version of the library that is linked.
const char* version();

}  // namespace spv
