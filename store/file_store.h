// FileStore: the wallets of a folder, each in an SQLite file of its own, and beside them the log of their events.
//
// Each wallet's file has its events first; the log takes them over by their numbers, so that a crash between the two
// neither loses nor doubles one.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "store/event_log.h"
#include "store/store.h"
#include "store/wallet_repository.h"

namespace spv::store {

class FileStore final : public Store {
 public:
  /// `wallets`: the folder; `log`: the file of the events. Neither has to exist.
  FileStore(std::filesystem::path wallets, std::filesystem::path log, chain::Network network);

  /// The file of a wallet, whether there is one or not.
  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const;

  [[nodiscard]] std::vector<std::string> names() override;
  [[nodiscard]] bool contains(const std::string& name) override;
  void create(const std::string& name, const NewStoredWallet& wallet,
              const std::function<void()>& before_naming = {}) override;
  [[nodiscard]] std::unique_ptr<StoredWallet> open(const std::string& name, Access access) override;
  [[nodiscard]] std::optional<StoredBalance> balance(const std::string& name) override;
  void backup(const std::string& name, const std::filesystem::path& file) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& name) override;

  void commit(std::span<WalletChanges> batch, util::UnixTime now) override;
  void tell_tip(const ChainView& view, util::UnixTime now) override;
  [[nodiscard]] bool commits_together() const override { return false; }

  void share_wallets() override {}
  [[nodiscard]] LeasedWallets wait_leased(std::chrono::milliseconds timeout) override;

  [[nodiscard]] std::vector<LoggedEvent> events(Seq after, std::size_t limit,
                                                const std::optional<std::string>& wallet) override;
  [[nodiscard]] std::vector<LoggedEvent> wait_events(Seq after, std::size_t limit,
                                                     const std::optional<std::string>& wallet,
                                                     std::chrono::milliseconds timeout,
                                                     const std::stop_token& stop = {}) override;
  [[nodiscard]] Seq newest_event() override;
  [[nodiscard]] std::optional<Seq> oldest_event() override;
  void prune_events(util::UnixTime before) override;
  [[nodiscard]] Seq position(const std::string& consumer) override;
  void acknowledge(const std::string& consumer, Seq seq) override;

 private:
  /// The caller has the lock.
  EventLog& log();
  [[nodiscard]] std::vector<std::string> list_names(std::error_code& error) const;
  [[nodiscard]] bool is_behind(const WalletRepository& file);
  /// Does it with the log, if that can be written: what it lacks then is found when a wallet is opened or is gone.
  void try_log(const std::function<void(EventLog&)>& what);
  /// Tells that it was added, if the log does not have it.
  void note_added(WalletRepository& file, const EventSource& source);
  /// Tells which wallets of the log are gone from the folder; one that only has another name by now is not.
  void note_gone();
  [[nodiscard]] std::set<std::uint64_t> identities_but(const std::set<std::string>& names);
  /// A wallet that was renamed goes on where it was; a copy of one that is still there has its own events.
  void note_new_name(const EventSource& source);
  /// What the file of a wallet has and the log has not, as after a crash between the two.
  void take_over_all(WalletRepository& file);
  /// What was just committed, in one commit of the log.
  void take_over(const std::vector<WalletRepository*>& files);

  const std::filesystem::path wallets_;
  const std::filesystem::path log_path_;
  const chain::Network network_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::optional<EventLog> log_;
  std::set<std::string> behind_;       // wallets whose events the log lacks, because a commit of it failed
  std::vector<std::string> followed_;  // by what wait_leased() said last
  bool looked_ = false;                // whether it did
};

}  // namespace spv::store
