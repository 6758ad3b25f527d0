// TxRelay: loose transactions. Asks for the mempool, fetches what is announced, and hands it to the wallet as
// unconfirmed. Only what we asked for is believed to be a loose transaction; the rest is kept for a moment, because
// a proof that needs it may follow.
//
// Every peer is asked, because one alone may keep silent about a payment (security.md E7).
//
// Where no peer filters for us, which of the announced transactions are ours is known only after the scan: until it is
// done they are kept, and fetching them does not stand in the way of blocks.
#pragma once

#include <optional>

#include "sync/relay/fetch_queue.h"
#include "sync/relay/mempool_wait.h"
#include "sync/relay/recent_transactions.h"
#include "sync/types/outbox.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

class TxRelay {
 public:
  /// Announcements that are queued and remembered where no peer filters for us: a whole mempool.
  static constexpr std::size_t kMaxUnfiltered = 200'000;
  /// What is announced within the wait is waited for, but this much longer at most; the second for a whole mempool.
  static constexpr util::Duration kMaxOverrun = FetchQueue::kFetchTimeout;
  static constexpr util::Duration kMaxUnfilteredOverrun = std::chrono::minutes(1);

  /// `wait` zero: the mempool is not asked for. `unfiltered`: peers announce everything, and nothing is fetched before
  /// `release`.
  TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered = false);

  void ask_mempool(PeerId peer, util::Now now, Outbox& out);
  /// Asks everybody once more who was asked before, and waits anew.
  void ask_again(util::Now now, Outbox& out);
  /// The scan is done: what was announced is fetched from now on.
  void release(util::Now now, Outbox& out);
  [[nodiscard]] bool is_holding() const { return holding_; }
  void on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out);
  void on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out);
  /// True if we asked this peer for this transaction.
  [[nodiscard]] bool has_asked(PeerId peer, const chain::Txid& txid) const { return fetches_.has_asked(peer, txid); }
  /// A transaction that no proof has promised. Gives what changed in the wallet.
  WatchEffect on(PeerId peer, chain::Transaction tx, const chain::Txid& txid, util::Now now, Outbox& out);
  void on_peer_lost(PeerId peer, util::Now now, Outbox& out);
  void tick(util::Now now, Outbox& out);

  /// A transaction seen a moment ago.
  [[nodiscard]] const chain::Transaction* find_recent(const chain::Txid& txid) const { return recent_.find(txid); }
  [[nodiscard]] MempoolState mempool() const { return mempool_.state(); }
  [[nodiscard]] bool has_asked_mempool(PeerId peer) const { return mempool_.has_asked(peer); }
  /// Who has announced what lately.
  [[nodiscard]] const Announcers& announcers() const { return fetches_.announcers(); }
  /// When the mempool was last asked for.
  [[nodiscard]] util::TimePoint asked_at() const { return mempool_.asked_at(); }
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;
  /// When the wait for the mempools ends; nothing unless it lasts.
  [[nodiscard]] std::optional<util::TimePoint> wait_deadline() const { return mempool_.deadline(!fetches_.empty()); }

 private:
  void request_more(util::Now now, Outbox& out);

  Watcher& watcher_;
  bool holding_;
  MempoolWait mempool_;
  FetchQueue fetches_;
  RecentTransactions recent_;
};

}  // namespace spv::sync
