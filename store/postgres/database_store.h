// DatabaseStore: the wallets of one network in a PostgreSQL database, which several processes share; docs/database.md
// explains the tables.
//
// To write a wallet is to hold the lease of its shard (leases.h): a process takes the lease of the wallets that it
// opens for writing, and one that shares the work takes its part of all of them. A commit that comes too late, because
// another process has taken the shard over, throws Fenced. While the server is away all functions throw Unreachable;
// the next call connects again.
#pragma once

#include <memory>

#include "store/postgres/backend.h"
#include "store/postgres/database_wallet.h"
#include "store/postgres/followed_wallets.h"
#include "store/store.h"

namespace spv::store::postgres {

class DatabaseStore final : public Store {
 public:
  /// Makes the tables or brings them up to date, where that is needed: to read, the right to read will do.
  DatabaseStore(const DatabaseUrl& url, chain::Network network, const DatabaseOptions& options = {});

  [[nodiscard]] std::vector<std::string> names() override;
  [[nodiscard]] bool contains(const std::string& name) override;
  void create(const std::string& name, const NewStoredWallet& wallet,
              const std::function<void()>& before_naming = {}) override;
  [[nodiscard]] std::unique_ptr<StoredWallet> open(const std::string& name, Access access) override;
  [[nodiscard]] std::vector<Opened> open_all(const std::vector<std::string>& names, Access access) override;
  [[nodiscard]] std::shared_ptr<void> close_together() override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& name) override;

  void commit(std::span<WalletChanges> batch, util::UnixTime now) override;
  void tell_tip(const ChainView& view, util::UnixTime now) override;
  [[nodiscard]] bool commits_together() const override { return true; }

  [[nodiscard]] std::vector<LoggedEvent> events(Seq after, std::size_t limit,
                                                const std::optional<std::string>& wallet) override;
  [[nodiscard]] std::vector<LoggedEvent> wait_events(Seq after, std::size_t limit,
                                                     const std::optional<std::string>& wallet,
                                                     std::chrono::milliseconds timeout,
                                                     const std::stop_token& stop = {}) override;
  [[nodiscard]] std::uint64_t renames() override { return backend_->notices.renames().count(); }
  [[nodiscard]] Seq newest_event() override;
  [[nodiscard]] std::optional<Seq> oldest_event() override;
  void prune_events(util::UnixTime before) override;
  [[nodiscard]] Seq position(const std::string& consumer) override;
  void acknowledge(const std::string& consumer, Seq seq) override;

  [[nodiscard]] ErrandReply ask_holder(const std::string& wallet, std::string_view kind, std::string_view body,
                                       std::chrono::milliseconds timeout, const std::stop_token& stop = {}) override;
  [[nodiscard]] std::vector<std::string> owners_of(const std::vector<chain::OutPoint>& outpoints) override;
  [[nodiscard]] std::vector<Errand> take_errands(std::chrono::milliseconds timeout = {}) override;
  void answer_errand(ErrandId id, std::string_view answer) override;
  [[nodiscard]] bool leads() override;
  [[nodiscard]] std::vector<WorkerInfo> workers() override;

  void share_wallets() override;
  [[nodiscard]] LeasedWallets wait_leased(std::chrono::milliseconds timeout) override;

 private:
  /// A wallet that this process alone writes.
  struct Alone {
    WalletHeader header;
    std::unique_ptr<WriterHold> hold;
  };
  [[nodiscard]] Alone hold_alone(const std::string& name);
  [[nodiscard]] std::vector<std::unique_ptr<DatabaseWallet>> open_handles(const std::vector<std::string>& names,
                                                                          Access access);
  void open_chunk(const std::vector<std::string>& names, Access access, std::vector<Opened>& out);

  std::shared_ptr<Backend> backend_;
  FollowedWallets followed_;
  std::chrono::steady_clock::time_point looked_at_all_;
  std::uint64_t errands_heard_ = 0;  // by wait_leased()
};

}  // namespace spv::store::postgres
