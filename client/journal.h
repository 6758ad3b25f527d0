// Journal: the event log of a client, from the wallets' files to those who read it, in any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/data_folder.h"
#include "store/event_log.h"

namespace spv::client {

class Journal {
 public:
  /// The file is made when the first event comes, or somebody asks.
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}

  /// Takes over what the file of a wallet has and the log has not, as after a crash between the two. Throws StoreError.
  void take_over(const std::string& name, OpenWallet& open);
  /// The same for what was just committed to several wallets, in one commit of the log.
  struct Source {
    const std::string& name;
    OpenWallet& open;
  };
  void take_over(const std::vector<Source>& sources);

  [[nodiscard]] std::vector<store::LoggedEvent> read(store::Seq after, std::size_t limit,
                                                     const std::optional<std::string>& wallet);
  /// Waits for one above `after`; empty if none comes in time.
  [[nodiscard]] std::vector<store::LoggedEvent> wait(store::Seq after, std::size_t limit,
                                                     const std::optional<std::string>& wallet,
                                                     std::chrono::milliseconds timeout);
  [[nodiscard]] store::Seq newest();
  [[nodiscard]] store::Seq position(const std::string& consumer);
  void acknowledge(const std::string& consumer, store::Seq seq);

 private:
  /// The caller has the lock.
  store::EventLog& log();

  const std::filesystem::path path_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<store::EventLog> log_;
};

}  // namespace spv::client
