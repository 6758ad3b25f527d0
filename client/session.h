// Session: the one assembly of headers, engine and driver over a group of wallets. `spv sync` runs one on a loop of its
// own; a client of the library runs as many as its wallets need filters, on one loop. Settings are in settings.h.
//
//   add wallets -> open_headers -> run                          on a loop of its own, until the end or a signal
//                               -> prepare -> start -> stop     on a loop that others run
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <spv/client.h>
#include <string>
#include <vector>

#include "chain/header_chain.h"
#include "client/clock_check.h"
#include "client/peer_book.h"
#include "client/sync_report.h"
#include "client/sync_values.h"
#include "net/driver.h"
#include "store/chain_view.h"
#include "store/filter_header_file.h"
#include "store/header_file.h"
#include "sync/engine/engine.h"
#include "sync/watch/wallet_group.h"

namespace spv::client {

using net::RunResult;
using sync::MemberChanges;
using sync::MemberId;

/// What is done beside a sync, or instead of it. What came of it is told by events: BroadcastChanged, FeesKnown.
struct SessionErrands {
  /// Told to the network as soon as there is a peer. The session adds those of its wallets that they spend from and
  /// that wait for a block too.
  std::vector<chain::Transaction> broadcasts{};
  /// The peers are asked what a transaction must pay.
  bool fees = false;
  /// False: nothing is scanned and no peer gets a filter; the session ends once the above is done.
  bool scan = true;
  /// How long evidence for a broadcast is waited for.
  util::Duration broadcast_wait = std::chrono::seconds(30);
};

/// What a session works with; what is referred to outlives the session.
struct SessionSetup {
  const chain::NetworkParams& params;
  const Options& options;
  std::string headers_path;
  /// Where peers come from; null: those of the options alone are used.
  PeerBook* book = nullptr;
  /// See net::DriverOptions, as for the next.
  std::uint64_t* budget = nullptr;
  net::Usage* usage = nullptr;
  /// What is left of the time that the options allow; nothing: all of it.
  std::optional<util::Duration> time_left{};
  SessionErrands errands{};
};

/// What a session calls, on the thread of its loop. See net::DriverHooks for what may be thrown.
struct SessionHooks {
  /// What has become true of each wallet: to be committed before anything that follows is shown.
  std::function<void(const std::vector<MemberChanges>&)> commit;
  std::function<void(const SyncEvent&)> notify;
  /// About four times a second.
  std::function<void()> heartbeat;
  /// Asked after each heartbeat: true ends run().
  std::function<bool()> is_enough;
  /// See net::DriverHooks, as for `after`.
  std::function<void(const std::function<void()>& step)> around;
  std::function<void()> after;
};

class Session {
 public:
  /// Its headers will begin at `base`, or below.
  explicit Session(store::HeaderBase base);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- wallets ---
  /// `wallet` outlives its membership.
  void add(MemberId id, wallet::Wallet& wallet);
  /// What is not committed of it is lost: take_changes() first.
  void remove(MemberId id);
  [[nodiscard]] bool empty() const { return wallets_.empty(); }
  [[nodiscard]] std::size_t size() const { return wallets_.size(); }
  [[nodiscard]] bool contains(MemberId id) const { return wallets_.contains(id); }
  /// Of scripts of its wallets; each counted at most once a wallet.
  [[nodiscard]] std::size_t elements() const { return elements_; }
  /// Wallets were added or removed while it runs. From the thread of the loop, outside of a step.
  void on_wallets_changed();
  /// A wallet watches scripts that nobody knows yet; on_wallets_changed() is to follow.
  void on_scripts_added(MemberId id) { group_.on_scripts_added(id); }
  /// What has changed since the last commit, to be committed early.
  [[nodiscard]] std::vector<MemberChanges> take_changes() { return group_.take_changes(); }
  /// From now on a wallet of several that comes to watch more leaves. See sync::WalletGroup, as for take_left().
  void let_leave() { group_.let_leave(true); }
  [[nodiscard]] std::vector<MemberChanges> take_left();
  /// The wallets that hold a transaction.
  [[nodiscard]] std::vector<MemberId> holders(const chain::Txid& txid) const { return group_.holders(txid); }

  /// Stores a payment of one of them, see Wallet::add_own(): commit take_changes() before it is sent.
  [[nodiscard]] util::Expected<void, wallet::PaymentError> add_own(MemberId id, const chain::Transaction& tx,
                                                                   util::UnixTime now,
                                                                   const wallet::OwnPaymentTerms& terms) {
    return group_.add_own(id, tx, wallet::SendState::Announced, now, terms);
  }

  // --- headers ---
  /// May throw. Does nothing if they are open.
  void open_headers(const SessionSetup& setup);
  /// Null before they are open.
  [[nodiscard]] const chain::HeaderStore* headers() const { return headers_.get(); }
  void flush_headers();
  /// True if a wallet that begins here can be taken in as it runs.
  [[nodiscard]] bool reaches(const store::HeaderBase& base) const {
    return base.height >= (headers_ ? headers_->base_height() : base_.height);
  }
  /// The headers are open.
  [[nodiscard]] std::optional<ClockBehind> clock_behind(util::UnixTime now) const { return check_clock(*chain_, now); }

  // --- a run; the headers are open ---
  /// To its end, or until SIGINT or SIGTERM comes.
  RunResult run(const SessionSetup& setup, SessionHooks hooks);
  /// For start() on a loop that others run.
  void prepare(boost::asio::io_context& io, const SessionSetup& setup, SessionHooks hooks);
  /// See net::Driver, also for threads; `done` is not called after stop().
  void start(std::function<void(RunResult, std::string)> done);
  [[nodiscard]] bool started() const { return driver_ != nullptr; }
  /// Cheap; zeros before it is prepared.
  [[nodiscard]] sync::Progress standing() const { return engine_ ? engine_->progress() : sync::Progress{}; }
  /// The next block to scan. It is started, as for those that follow.
  [[nodiscard]] chain::Height position() const { return engine_->progress().scanned + 1; }
  /// All that is known of is scanned.
  [[nodiscard]] bool at_rest() const { return engine_->progress().at_rest; }
  [[nodiscard]] bool is_broadcasting() const { return engine_->is_broadcasting(); }
  /// The best block that it knows of, and whether a block is on its chain.
  [[nodiscard]] chain::BlockRef tip() const { return chain_->tip(); }
  [[nodiscard]] bool has(const chain::BlockRef& block) const { return chain_->hash_at(block.height) == block.hash; }
  /// Its best chain, as long as the session neither steps nor rests.
  [[nodiscard]] store::ChainView chain_view() const;
  /// What was verified is committed.
  void stop();
  /// Tells the network a transaction while it runs: BroadcastChanged says what came of it. From the thread of the loop,
  /// outside of a step; it is prepared.
  void broadcast(const chain::Transaction& tx);
  /// The same in two steps: the first looks at the wallets, the second makes a step of the engine.
  [[nodiscard]] sync::BroadcastRequested request_for(const chain::Transaction& tx) const;
  void broadcast(sync::BroadcastRequested request);
  /// Asks the peers while it runs; FeesKnown is the answer. As above.
  void request_fees();
  /// It is stopped: closes its headers, and can be prepared again.
  void rest();

  // --- how it goes ---
  /// Nothing before it is prepared.
  [[nodiscard]] std::optional<SyncProgress> progress() const;
  /// The connections that it has now, with what they have cost so far.
  [[nodiscard]] std::vector<PeerReport> peers(const net::Usage& usage) const;
  /// The filter that its peers are given; nothing if they are given none.
  [[nodiscard]] std::optional<FilterReport> filter() const;
  /// It was prepared. `now`: by which the age of the chain is judged.
  [[nodiscard]] SyncSummary summary(util::UnixTime now) const;
  /// The signal that ended run(), SIGINT or SIGTERM; 0: none did.
  [[nodiscard]] int stopped_by() const { return driver_ ? driver_->stopped_by() : 0; }
  /// Why it could not be finished, if it could not.
  [[nodiscard]] std::optional<SyncFailure> failure() const;
  [[nodiscard]] ByteCounts bytes() const;
  /// How long the loop should wait for more to come.
  [[nodiscard]] util::Duration gather_time() const;

 private:
  struct Member {
    const wallet::Wallet* wallet = nullptr;
    std::size_t elements = 0;
  };
  void make_engine(const SessionSetup& setup);
  void forget(MemberId id);

  store::HeaderBase base_;
  std::unique_ptr<store::HeaderFile> headers_;
  std::unique_ptr<chain::HeaderChain> chain_;
  std::unique_ptr<bip158::FilterHeaderStore> filter_headers_;  // null where no compact filters are used
  sync::WalletGroup group_;
  std::map<MemberId, Member> wallets_;
  std::size_t elements_ = 0;
  std::unique_ptr<sync::Engine> engine_;
  std::unique_ptr<net::Driver> driver_;
};

}  // namespace spv::client
