// WalletRepository: a wallet in an SQLite file of its own. One process writes it (ReadWrite, with the lock); others
// read while it does (WAL), or change what belongs to the user (Shared).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "store/database.h"
#include "store/file_lock.h"
#include "store/outbox.h"
#include "store/rows.h"
#include "store/stored_wallet.h"
#include "store/wallet_file.h"

namespace spv::store {

/// See WalletRepository::identity().
std::uint64_t identity_of(const WalletInfo& info, const wallet::WalletConfig& config);

class WalletRepository final : public StoredWallet {
 public:
  using Mode = Database::Mode;
  using Contents = WalletContents;

  /// Makes a new file and opens it for writing. Nothing is ever overwritten, and a crash leaves no half-made file.
  /// A mnemonic wallet has a secret, a watch-only one has none. `before_naming` is called when all of it is on disk but
  /// has no name yet; where that throws, there is no wallet.
  static WalletRepository create(const std::filesystem::path& path, const Contents& contents, const WalletInfo& info,
                                 const std::optional<StoredSecret>& secret,
                                 const std::function<void()>& before_naming = {});
  /// Opens a wallet; ReadWrite is refused at once while another process has it. An older file is brought up to date in
  /// every mode. With `network`, a wallet of another one is refused.
  static WalletRepository open(const std::filesystem::path& path, Mode mode,
                               std::optional<chain::Network> network = std::nullopt);

  [[nodiscard]] const WalletInfo& info() const override { return info_; }
  [[nodiscard]] chain::Network network() const override { return config_.network; }
  [[nodiscard]] Contents load() override;
  [[nodiscard]] bool lacks_balance() override;
  /// All of it or nothing. `now`: when its events are stored.
  void commit(const wallet::Changes& changes, util::UnixTime now = 0);
  /// The events of the wallet, from number `after` + 1 on.
  [[nodiscard]] std::vector<StoredEvent> events(std::int64_t after, std::size_t limit);
  /// A log has events of this wallet up to `number`: where the file has fewer it is an older copy, and its next events
  /// get higher numbers than those.
  void continue_events(std::int64_t number);
  /// That it is synced is to be told once more.
  void owe_synced();
  /// Differs from that of another wallet of the same name.
  [[nodiscard]] std::uint64_t identity() const { return identity_of(info_, config_); }
  /// The name under which a log has its events; empty: not logged.
  void log_as(std::string name) { log_name_ = std::move(name); }
  [[nodiscard]] const std::string& log_name() const { return log_name_; }
  void reconfigure(const Contents& contents) override;

  [[nodiscard]] std::vector<std::uint32_t> issued() override;
  [[nodiscard]] bool issue(std::size_t chain, std::uint32_t index) override;
  [[nodiscard]] std::vector<wallet::Label> labels() override;
  void change_labels(const std::vector<wallet::LabelChange>& changes) override;
  [[nodiscard]] std::vector<chain::OutPoint> frozen() override;

  [[nodiscard]] std::optional<StoredSecret> secret() override;
  [[nodiscard]] WalletCopy copy() override;
  /// False if a reader keeps the old one in SQLite's log for now.
  [[nodiscard]] bool replace_secret(const StoredSecret& secret) override;

  /// Closes the file of one who writes, and keeps the lock.
  void rest() override;

 private:
  struct Statements;
  struct Setup {
    WalletRow wallet;
    std::vector<KeyChainRow> key_chains;
    ScanRow scan;
  };
  WalletRepository(std::filesystem::path path, Mode mode, std::optional<FileLock> lock);
  static WalletRepository open_resolved(const std::filesystem::path& path, Mode mode,
                                        std::optional<chain::Network> network);
  void require_network(std::optional<chain::Network> network) const;
  /// Opens the file again after rest(), or as it lies while it is at rest.
  [[nodiscard]] Database& db();
  /// From here on the file is open as `mode` says.
  void wake();
  [[nodiscard]] Transaction begin(Transaction::Kind kind);
  /// What it reads from the file at rest; nothing if that does not hold, and then it is awake.
  template <typename Read>
  [[nodiscard]] auto read_at_rest(Read read) -> std::optional<decltype(read())>;
  void check_and_read_header();
  [[nodiscard]] Statements& statements();
  void read_header();
  // Within a transaction.
  [[nodiscard]] Contents read_contents();
  [[nodiscard]] std::optional<StoredSecret> read_secret_row();
  /// All but transactions and secret, as the file has it now. Within a transaction.
  [[nodiscard]] Setup read_setup();
  [[nodiscard]] WalletRow read_wallet_row();
  [[nodiscard]] ScanRow read_scan_row();
  void require_writer() const;
  /// In Mode::Shared: the file still has the name under which it was opened.
  void require_named() const;
  /// A transaction in Mode::Shared or ReadWrite.
  [[nodiscard]] Transaction begin_shared();
  void write_chain(std::size_t chain, wallet::KeyChainState state);
  void write_chain_row(std::size_t chain, const KeyChainRow& row);
  [[nodiscard]] KeyChainRow read_stored_chain(std::size_t chain);
  TxTotals write_transactions(const std::vector<wallet::TxRecord>& records, TxTotals totals);
  void write_scan(const ScanRow& scan);
  void write_config(const wallet::WalletConfig& config, std::size_t key_chains);
  [[nodiscard]] std::vector<KeyChainRow> read_key_chains();

  std::filesystem::path path_;
  Mode mode_;
  std::optional<FileLock> lock_;
  // From opening until somebody writes or looks again: what others may change is read as the file is then.
  std::optional<FileAtRest> at_rest_;
  // Statements go before the connection that they belong to.
  std::unique_ptr<Database> db_;
  std::unique_ptr<Statements> statements_;
  // What does not change while this process has the lock; the key chains stay in the file.
  WalletInfo info_;
  wallet::WalletConfig config_;  // without its key chains
  std::size_t key_chains_ = 0;
  TxTotals totals_;
  std::optional<FileName> name_;
  std::string log_name_;

 public:
  WalletRepository(WalletRepository&&) noexcept;
  WalletRepository& operator=(WalletRepository&&) noexcept;
  ~WalletRepository() override;
};

}  // namespace spv::store
