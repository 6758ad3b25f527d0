// WalletKeeper: keeps the books as the wallets are. Views are made on another thread, one after the other; what comes
// of it is put in on the server's thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <spv/client.h>
#include <string>
#include <vector>

#include "client/backend.h"
#include "serve/electrum/session.h"
#include "serve/http/mailbox.h"
#include "serve/live/worker_pool.h"
#include "util/log.h"

namespace spv::serve::electrum {

class WalletKeeper {
 public:
  /// Called when something of these scripts may have changed; with none, when waiting calls should look again.
  using Changed = std::function<void(const std::vector<ScriptHash>&)>;

  /// Where it works: wallets are read in a queue that nothing slow is in; what clients cause may take long.
  struct Pools {
    WorkerPool& reading;
    WorkerPool& slow;
  };
  /// What it refers to outlives it.
  WalletKeeper(Client& client, World& world, std::shared_ptr<Mailbox> door, Pools pools, Changed changed,
               util::LogSink log);

  // All on the server's thread.
  /// All wallets are looked at, as at the start.
  void look_at_all();
  /// Something happened to this wallet.
  void look_at(const std::string& wallet);
  /// What could not be read is tried again. `waits`: somebody waits for wallets that are being scanned.
  void tick(bool waits);
  /// Scripts further along the key chains are put in.
  void look_ahead();
  /// A wallet is to watch more.
  void widen(const ScriptPlace& place);

 private:
  struct Look {
    std::string name;
    std::shared_ptr<const WalletView> before;
    std::shared_ptr<const WalletView> view;
    bool is_gone = false;
  };

  void begin();
  void take(const std::vector<Look>& looks);
  void read_names();
  static void read(client::Backend& backend, Look& look);
  void log(util::LogLevel level, const std::string& text) const {
    if (log_) log_(level, text);
  }

  Client& client_;
  client::Backend backend_;
  World& world_;
  std::shared_ptr<Mailbox> door_;
  Pools pools_;
  Changed changed_;
  util::LogSink log_;
  std::set<std::string> due_;
  std::set<std::string> failed_;
  std::set<std::string> widening_;
  bool is_busy_ = false;
  bool names_due_ = false;
  bool is_deriving_ = false;
};

}  // namespace spv::serve::electrum
