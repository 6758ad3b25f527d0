// Stores over a fresh database, each as a process of its own would have it, and wallets to keep there.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/postgres/database_store.h"
#include "tests/store/postgres/database_fixture.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::store::postgres {

/// Longer than any test: what is held ends only where a test ends it.
inline constexpr std::chrono::hours kLongLease{1};

inline NewStoredWallet watch_only(std::uint32_t gap_limit = 2) {
  NewStoredWallet out;
  out.contents.config = test::sample_config(gap_limit);
  out.contents.state = wallet::Wallet::fresh_state(out.contents.config);
  out.info = {.kind = WalletKind::Watch, .created = test::kNow, .fingerprint = {}, .encrypted = false};
  return out;
}

/// A wallet that is open for writing, and what it knows.
struct OpenedWallet {
  std::unique_ptr<StoredWallet> stored;
  wallet::Wallet wallet;

  OpenedWallet(Store& store, const std::string& name)
      : stored(store.open(name, Access::Write)), wallet(loaded(*stored)) {}
  static wallet::Wallet loaded(StoredWallet& stored) {
    WalletContents contents = stored.load();
    return {std::move(contents.config), std::move(contents.state)};
  }
};

inline void commit(Store& store, OpenedWallet& opened, const wallet::Changes& changes) {
  std::vector<WalletChanges> batch{{.wallet = opened.stored.get(), .changes = &changes, .done = false}};
  store.commit(batch, test::kNow);
  EXPECT_TRUE(batch[0].done);
}
/// A payment in the block of this height, and the scan to there, with its event.
inline wallet::Changes payment_at(wallet::Wallet& wallet, chain::Height height, const chain::Transaction& tx) {
  auto changes = test::confirm(wallet, tx, height);
  changes.merge(wallet.set_scan(test::scanned_to(height)));
  changes.merge(wallet.tell());
  return changes;
}
inline wallet::Changes payment_at(wallet::Wallet& wallet, chain::Height height) {
  return payment_at(wallet, height, test::TxBuilder().pays(test::receive_script(0), 1'000).build());
}

class StoreTest : public DatabaseTest {
 protected:
  static constexpr auto kNetwork = chain::Network::Main;
  /// Another process.
  [[nodiscard]] std::unique_ptr<DatabaseStore> process(const std::string& worker = "test",
                                                       std::chrono::milliseconds lease = kLongLease) const {
    return std::make_unique<DatabaseStore>(url(), kNetwork,
                                           DatabaseOptions{.worker_name = worker, .lease = lease, .connect = {}});
  }
  /// The leases of all workers end now, as if they had slept.
  void expire_leases() {
    sql("UPDATE shard SET lease_until = clock_timestamp() - interval '1 second' WHERE worker IS NOT NULL");
    sql("UPDATE worker SET alive_until = clock_timestamp() - interval '1 second'");
  }
};

/// The kind of the StoreError that this throws; fails the test if it throws none.
template <typename Action>
StoreError::Kind kind_of_error(Action action) {
  try {
    action();
  } catch (const StoreError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return StoreError::Kind::Io;
}

}  // namespace spv::store::postgres
