// Notices: what other processes say by NOTIFY, heard by a thread on a connection of its own. A notice that is sent
// while the connection is being made again is lost: who waits for one looks for itself now and then.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "store/postgres/bell.h"
#include "store/postgres/listener.h"

namespace spv::store::postgres {

/// Of a commit with events; says nothing.
inline constexpr std::string_view kEventChannel = "spv_event";
/// Of a wallet that was made, renamed or deleted; says the name.
inline constexpr std::string_view kWalletChannel = "spv_wallet";
/// Of a wallet that was renamed, besides; says its new name.
inline constexpr std::string_view kRenameChannel = "spv_rename";
/// Of an errand for the worker of a shard; says the number of the shard.
inline constexpr std::string_view kErrandChannel = "spv_errand";
/// Of an answer to an errand; says nothing.
inline constexpr std::string_view kAnswerChannel = "spv_answer";
/// Sends one when the transaction is committed.
Command notice(std::string_view channel, std::string_view text);

class Notices {
 public:
  Notices(DatabaseUrl url, const ConnectOptions& options);
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices();

  /// Begins to listen, once.
  void start();
  /// Rung for each commit with events, by any process.
  [[nodiscard]] Bell& events() { return events_; }
  /// Rung when the list of wallets has changed, and with errands(): who looks after wallets may look after both.
  [[nodiscard]] Bell& wallets() { return wallets_; }
  /// Rung when a wallet was renamed, or may have been.
  [[nodiscard]] Bell& renames() { return renames_; }
  /// Rung for each errand.
  [[nodiscard]] Bell& errands() { return errands_; }
  /// Rung for each answer to one.
  [[nodiscard]] Bell& answers() { return answers_; }

  struct WalletNews {
    bool all = false;             // notices may have been lost: look at all of them
    std::set<std::string> names;  // of wallets that came or went
  };
  /// Since the last time.
  [[nodiscard]] WalletNews take_wallet_news();
  /// Those that took the news could not use them.
  void doubt_wallet_news();

 private:
  void run();
  /// Listens until the connection breaks.
  void listen();
  void heard(const Notification& notification);
  void heard_of_wallet(const std::string& name);
  void ring_errands();
  [[nodiscard]] bool is_stopping();

  const DatabaseUrl url_;
  const ConnectOptions options_;
  Bell events_;
  Bell wallets_;
  Bell renames_;
  Bell errands_;
  Bell answers_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::unique_ptr<Listener> listener_;
  WalletNews news_{.all = true, .names = {}};
  std::thread thread_;
};

}  // namespace spv::store::postgres
