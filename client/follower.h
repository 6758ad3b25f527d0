// Follower: opens and closes wallets as the store says which are this process's to follow, and goes on with a sync that
// waits for its store. On a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"

namespace spv::client {

class Follower {
 public:
  struct Hooks {
    /// Gives back those that another process still has open. Throws StoreError.
    std::function<std::vector<std::string>(const std::vector<std::string>&)> open;
    std::function<void(const std::string&)> close;
    /// Goes on with a sync that waits for its store, if one does.
    std::function<void()> resume;
  };

  /// `shares`: which wallets to follow is for the store to say; else for the caller.
  Follower(std::shared_ptr<store::Store> store, bool shares, Hooks hooks);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  /// A wallet that was open and could not be opened again: it is tried until it is, or is gone. From any thread.
  void open_again(const std::string& name);

 private:
  void run();
  /// One look at the store.
  void step();
  void follow_what_is_ours();
  void open_pending();
  void take_reopened();
  /// True if it is to end.
  bool rest(std::chrono::milliseconds time);

  const std::shared_ptr<store::Store> store_;
  const bool shares_;
  const Hooks hooks_;
  bool sharing_ = false;
  std::set<std::string> pending_;  // to be opened
  std::mutex mutex_;
  std::set<std::string> reopened_;  // not in pending_ yet
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace spv::client
