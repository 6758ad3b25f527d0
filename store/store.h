// Store: where wallets are kept, and the log of what happens to them: files of a folder (FileStore) or a PostgreSQL
// database (postgres::DatabaseStore). All functions throw StoreError.
//
// commit() is the one way in for what a scan finds: the changes of several wallets with their events. Events are
// written in the transaction of the change that they describe and get their number in the log then, so that a crash
// neither loses nor repeats one. That a wallet was added or removed is told by create() and remove(), tips and
// reorganisations by tell_tip(), once for all processes that share the store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "store/chain_view.h"
#include "store/errand.h"
#include "store/logged_event.h"
#include "store/stored_balance.h"
#include "store/stored_wallet.h"
#include "store/worker_info.h"
#include "util/time.h"

namespace spv::store {

struct NewStoredWallet {
  WalletContents contents;
  WalletInfo info;
  std::optional<StoredSecret> secret;  // a mnemonic wallet has one, a watch-only one has none
  std::vector<wallet::Label> labels = {};
};
/// All of a stored wallet, of one moment, to be created elsewhere. The events that it has told stay behind.
NewStoredWallet copy_of(StoredWallet& wallet);

/// What became true of one wallet.
struct WalletChanges {
  StoredWallet* wallet = nullptr;  // open for writing, of the store that commits it
  const wallet::Changes* changes = nullptr;
  bool done = false;  // set by commit(): it is durable
  bool lost = false;  // set by a commit() that throws Fenced: another process has taken the wallet over
};

/// Wallets that this process begins to follow, and that it follows no longer. One that is in both was another process's
/// meanwhile: close it, then open it anew.
struct LeasedWallets {
  std::vector<std::string> gone;
  std::vector<std::string> taken;
  [[nodiscard]] bool empty() const { return gone.empty() && taken.empty(); }
};

/// A name may become a file name: nothing in it leads elsewhere.
bool is_wallet_name(std::string_view name);

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // --- wallets; from any thread -----------------------------------------------------------------------------
  /// Sorted.
  [[nodiscard]] virtual std::vector<std::string> names() = 0;
  [[nodiscard]] virtual bool contains(const std::string& name) = 0;
  /// Nothing is ever overwritten, and a crash leaves no half-made wallet. `before_naming` is called when all of it is
  /// written but cannot be seen yet; where that throws, there is no wallet.
  virtual void create(const std::string& name, const NewStoredWallet& wallet,
                      const std::function<void()>& before_naming = {}) = 0;
  /// With Access::Write, refused at once while another process has it so.
  [[nodiscard]] virtual std::unique_ptr<StoredWallet> open(const std::string& name, Access access) = 0;
  /// The balance of a wallet as it was stored with what it was computed from, much sooner than open() and load() could
  /// give it. Nothing where there is none or any doubt of it: open the wallet.
  [[nodiscard]] virtual std::optional<StoredBalance> balance(const std::string& name);
  struct Opened {
    std::unique_ptr<StoredWallet> wallet;
    WalletContents contents;
  };
  /// The same for many, loaded together, in the order of the names. They rest.
  [[nodiscard]] virtual std::vector<Opened> open_all(const std::vector<std::string>& names, Access access);
  /// Wallets that are closed while this lives become free for other processes together, at its end: in one step instead
  /// of one for each.
  [[nodiscard]] virtual std::shared_ptr<void> close_together() { return nullptr; }
  /// Copies a wallet as it is at one moment, also while another process writes it, to a new wallet file of mode 0600,
  /// which is on disk when this returns. Throws Exists if there is something of that name; a failure leaves nothing.
  virtual void backup(const std::string& name, const std::filesystem::path& file);
  /// Refused while a process has it open for writing; remove() too.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& name) = 0;

  // --- what became true; one thread at a time, the one that has the wallets -----------------------------------
  /// All of it is durable when this returns. Where it throws, what is not `done` is not: a database takes all or
  /// nothing, files take wallet by wallet. After Unreachable open the wallets anew. `now`: the time of the events.
  virtual void commit(std::span<WalletChanges> batch, util::UnixTime now) = 0;
  /// The caller's best chain has come this far. Tells the tip in the log, and before it a reorganisation if the last
  /// tip told is not on this chain; nothing if a tip of as much work was told, by this process or another. Durable when
  /// it returns.
  virtual void tell_tip(const ChainView& view, util::UnixTime now) = 0;
  /// Whether a batch costs little more than one wallet.
  [[nodiscard]] virtual bool commits_together() const = 0;

  // --- which wallets are this process's to follow; for one thread ---------------------------------------------
  /// From now on wait_leased() says which they are: all of a folder; of a database a fair share, which grows and
  /// shrinks as other processes come and go.
  virtual void share_wallets() = 0;
  /// Waits until wallets come or go: those that any process makes, renames or deletes, and shares that change. Empty if
  /// none do in time, or if an errand came first.
  [[nodiscard]] virtual LeasedWallets wait_leased(std::chrono::milliseconds timeout) = 0;

  // --- other processes of the same database; from any thread. With files there are none --------------------------
  /// Asks the process that follows a wallet, and waits for its answer or until it is to stop. It may be this one, on
  /// another thread. Throws Constraint if the body is too long. After Unreachable it is not known whether it was
  /// carried out.
  [[nodiscard]] virtual ErrandReply ask_holder(const std::string& wallet, std::string_view kind, std::string_view body,
                                               std::chrono::milliseconds timeout, const std::stop_token& stop = {});
  /// A few errands for the wallets that this process follows, in the order in which they were asked; empty if none come
  /// in time. Each is given once, to one process: also if that dies at once, nobody gets it again.
  [[nodiscard]] virtual std::vector<Errand> take_errands(std::chrono::milliseconds timeout = {});
  /// Does nothing if nobody waits for it any more. Throws Constraint if it is too long.
  virtual void answer_errand(ErrandId id, std::string_view answer);
  /// The wallets that have one of these outputs; none with files, which are all here.
  [[nodiscard]] virtual std::vector<std::string> owners_of(const std::vector<chain::OutPoint>& outpoints);
  /// True in one of the processes that share the wallets, for what one of them has to do for all. Ask each time.
  [[nodiscard]] virtual bool leads() { return true; }
  /// Those that share the wallets, by id; none with files.
  [[nodiscard]] virtual std::vector<WorkerInfo> workers() { return {}; }

  // --- the log of events; from any thread ---------------------------------------------------------------------
  /// At most `limit` of those above `after`, in order; of one wallet, or of all wallets and the chain.
  [[nodiscard]] virtual std::vector<LoggedEvent> events(Seq after, std::size_t limit,
                                                        const std::optional<std::string>& wallet) = 0;
  /// Waits for one above `after`, also by another process; empty if none comes in time, or before it is to stop.
  [[nodiscard]] virtual std::vector<LoggedEvent> wait_events(Seq after, std::size_t limit,
                                                             const std::optional<std::string>& wallet,
                                                             std::chrono::milliseconds timeout,
                                                             const std::stop_token& stop = {}) = 0;
  /// Another number once a wallet was renamed, by whichever process: events that were read before may have its old
  /// name.
  [[nodiscard]] virtual std::uint64_t renames() { return 0; }
  /// Of the last event ever; 0: none.
  [[nodiscard]] virtual Seq newest_event() = 0;
  /// Of the first one that is kept, or would be: newest_event() + 1 where all are forgotten. Nothing before the first
  /// event. A reader that has seen all up to `after` has missed some if that is below oldest_event() - 1: ask after
  /// reading, since events are forgotten meanwhile.
  [[nodiscard]] virtual std::optional<Seq> oldest_event() = 0;
  /// Forgets events that were stored before this time.
  virtual void prune_events(util::UnixTime before) = 0;
  /// What a consumer has acknowledged; 0: nothing yet.
  [[nodiscard]] virtual Seq position(const std::string& consumer) = 0;
  /// Never goes back.
  virtual void acknowledge(const std::string& consumer, Seq seq) = 0;
};

}  // namespace spv::store
