// WalletRepository: one wallet, in an SQLite file or as the image of one that is kept elsewhere.
// A file: one process writes at a time, others read while it does (WAL). What commit() returned from is on disk; what
// it threw for changed nothing.
// An image: it is changed in memory, then handed to `Keep` as a whole. Where Keep throws, so does commit(), but the
// change stays in memory and is part of the next image.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "store/database.h"
#include "store/file_lock.h"
#include "store/rows.h"
#include "wallet/records.h"

namespace spv::store {

class WalletRepository {
 public:
  using Mode = Database::Mode;
  struct Contents {
    wallet::WalletConfig config;
    wallet::WalletState state;
  };

  /// Makes a new file and opens it for writing. Nothing is ever overwritten, and a crash leaves no half-made file.
  /// A mnemonic wallet has a secret, a watch-only one has none.
  static WalletRepository create(const std::filesystem::path& path, const Contents& contents, const WalletInfo& info,
                                 const std::optional<StoredSecret>& secret);
  /// Opens a wallet; a writer is refused at once while there is another, and brings an older file up to date.
  /// With `network`, a wallet of another one is refused.
  static WalletRepository open(const std::filesystem::path& path, Mode mode,
                               std::optional<chain::Network> network = std::nullopt);

  /// Gets the whole wallet, secret included, once it is made and after each change; throws if it cannot keep it.
  using Keep = std::function<void(util::ByteView image)>;
  static WalletRepository create_image(const Contents& contents, const WalletInfo& info,
                                       const std::optional<StoredSecret>& secret, Keep keep);
  static WalletRepository open_image(util::ByteView image, std::optional<chain::Network> network, Keep keep);

  [[nodiscard]] const WalletInfo& info() const { return info_; }
  [[nodiscard]] chain::Network network() const { return config_.network; }
  /// Everything but the secret, as one consistent moment, with every value checked.
  [[nodiscard]] Contents load();
  /// All of it or nothing; see above for an image whose keeper throws.
  void commit(const wallet::Changes& changes);
  [[nodiscard]] std::optional<StoredSecret> secret();
  /// Replaces the secret, as when a passphrase is set. False if a reader keeps the old one in SQLite's log for now.
  [[nodiscard]] bool replace_secret(const StoredSecret& secret);

 private:
  struct Statements;
  WalletRepository(std::unique_ptr<Database> db, Mode mode, std::optional<FileLock> lock);
  void require_network(std::optional<chain::Network> network) const;
  void read_header();
  void require_writer() const;
  TxTotals write_transactions(const std::vector<wallet::TxRecord>& records, TxTotals totals);
  [[nodiscard]] std::vector<KeyChainRow> read_key_chains();

  std::optional<FileLock> lock_;
  // Statements go before the connection that they belong to.
  std::unique_ptr<Database> db_;
  std::unique_ptr<Statements> statements_;
  WalletInfo info_;
  wallet::WalletConfig config_;
  std::vector<KeyChainRow> key_chains_;
  ScanRow scan_;
  Keep keep_;

 public:
  WalletRepository(WalletRepository&&) noexcept;
  WalletRepository& operator=(WalletRepository&&) noexcept;
  ~WalletRepository();
};

}  // namespace spv::store
