// Backend: what a server needs of a client beyond the public functions: wallets that are not open here, how the sync
// stands, and what its owner does to wallets while they are followed. From any thread; all but the board may block.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <spv/client.h>
#include <string>
#include <vector>

#include "client/new_wallet.h"
#include "client/open_wallet.h"
#include "client/sync_report.h"
#include "client/wallet_board.h"
#include "store/store.h"

namespace spv::client {

class Backend {
 public:
  /// `client` outlives it.
  explicit Backend(Client& client) : client_(client) {}

  [[nodiscard]] const chain::NetworkParams& params() const;
  [[nodiscard]] store::Store& store() const;
  [[nodiscard]] const WalletBoard& board() const;
  [[nodiscard]] SyncReport report() const;
  /// Before the client is started: is told how long each commit takes, on the thread that syncs.
  void on_commit(std::function<void(util::Duration)> callback);
  /// What peers said last about fees, and how long ago; nothing if they were never asked.
  struct Fees {
    FeesKnown known;
    util::Duration age{};
  };
  [[nodiscard]] std::optional<Fees> fees() const;

  /// Calls it with a wallet as it is now: locked if it is open here, else read from the store.
  template <typename T>
  Result<T> look(const std::string& name, const std::function<Result<T>(OpenWallet&)>& what) {
    std::optional<Result<T>> out;
    const auto looked = look_at(name, [&](OpenWallet& open) { out.emplace(what(open)); });
    return looked ? std::move(*out) : Result<T>(looked.error());
  }
  [[nodiscard]] Result<WalletSummary> summary(const std::string& name);
  /// All wallets, sorted, whoever follows them.
  [[nodiscard]] Result<std::vector<std::string>> names() const;
  /// Of these, in their order; one that is gone meanwhile is left out.
  [[nodiscard]] Result<std::vector<std::pair<std::string, WalletSummary>>> summaries(
      const std::vector<std::string>& names);
  /// Read by a handle of its own: no sync waits for it.
  [[nodiscard]] Result<std::vector<wallet::Label>> labels(const std::string& name);
  [[nodiscard]] Result<std::string> proof(const std::string& name, const std::string& txid);

  /// Waits for a wallet that is stored and about to be opened here: one that another process has just made. False if
  /// it is not open in time.
  [[nodiscard]] bool await_open(const std::string& name, std::chrono::milliseconds timeout);
  /// It is durable when this returns, and followed soon.
  Result<void> create(const std::string& name, NewWallet wallet);
  /// Refused (State) for a wallet with keys.
  Result<void> remove(const std::string& name);
  /// An address that was never handed out, whatever the gap limit; it is watched when this returns.
  Result<Address> new_address(const std::string& name, bool change);
  Result<void> label(const std::string& name, const wallet::LabelChange& change);
  /// Scans a wallet again from this block on.
  Result<void> rescan(const std::string& name, chain::Height from);

 private:
  Result<void> look_at(const std::string& name, const std::function<void(OpenWallet&)>& what);
  Result<void> open_unless_shared(const std::string& name);

  Client& client_;
};

}  // namespace spv::client
