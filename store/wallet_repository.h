// WalletRepository: one wallet, in an SQLite file or as the image of one that is kept elsewhere.
// A file: one process follows it (ReadWrite, with the lock) and commits what it finds; others read while it does (WAL).
// What belongs to the user, which addresses are handed out and the labels, others change beside it (Shared): in short
// transactions that read afresh what they change. commit() takes the higher of two numbers of addresses handed out, so
// that none is handed out twice. What commit() returned from is on disk; what it threw for changed nothing.
// An image: it is changed in memory, then handed to `Keep` as a whole. Where Keep throws, so does commit(), but the
// change stays in memory and is part of the next image.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "store/database.h"
#include "store/file_lock.h"
#include "store/outbox.h"
#include "store/rows.h"
#include "store/wallet_file.h"
#include "wallet/label.h"
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
  /// A mnemonic wallet has a secret, a watch-only one has none. `before_naming` is called when all of it is on disk but
  /// has no name yet; where that throws, there is no wallet.
  static WalletRepository create(const std::filesystem::path& path, const Contents& contents, const WalletInfo& info,
                                 const std::optional<StoredSecret>& secret,
                                 const std::function<void()>& before_naming = {});
  /// Opens a wallet; who asks for ReadWrite is refused at once while another has it. All of them bring an older file up
  /// to date. With `network`, a wallet of another one is refused.
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
  /// All of it or nothing; see above for an image whose keeper throws. `now`: when its events are stored.
  void commit(const wallet::Changes& changes, util::UnixTime now = 0);
  /// What those who follow the wallet are told, from number `after` + 1 on.
  [[nodiscard]] std::vector<StoredEvent> events(std::int64_t after, std::size_t limit);
  /// A log has events of this wallet up to `number`: where the file has fewer it is an older copy, and its next events
  /// get higher numbers than those.
  void continue_events(std::int64_t number);
  /// Tells the wallet from another one of the same name.
  [[nodiscard]] std::uint64_t identity() const;
  /// Replaces what a wallet watches: its gap limit, its birthday and its key chains (those that it has first, in their
  /// order), with the scan that it owes then. Its transactions stay.
  void reconfigure(const Contents& contents);

  // --- also Shared ----------------------------------------------------------------------------------------
  /// How many addresses of each chain are handed out, by this process or another.
  [[nodiscard]] std::vector<std::uint32_t> issued();
  /// Hands out an address for good. False if that is done already, or it has been used by now: load() and choose again.
  [[nodiscard]] bool issue(std::size_t chain, std::uint32_t index);
  [[nodiscard]] std::vector<wallet::Label> labels();
  void change_labels(const std::vector<wallet::LabelChange>& changes);
  /// The coins that the user keeps from being spent: outputs whose label says so (BIP329).
  [[nodiscard]] std::vector<chain::OutPoint> frozen();

  [[nodiscard]] std::optional<StoredSecret> secret();
  /// Replaces the secret, as when a passphrase is set. False if a reader keeps the old one in SQLite's log for now.
  [[nodiscard]] bool replace_secret(const StoredSecret& secret);

 private:
  struct Statements;
  WalletRepository(std::unique_ptr<Database> db, Mode mode, std::optional<FileLock> lock);
  static WalletRepository open_resolved(const std::filesystem::path& path, Mode mode,
                                        std::optional<chain::Network> network);
  void require_network(std::optional<chain::Network> network) const;
  void read_header();
  /// All but transactions and secret. Within a transaction.
  void read_setup();
  void require_writer() const;
  /// Of one who is Shared: the file still has the name under which it was opened.
  void require_named() const;
  /// A transaction of one who is at least Shared.
  [[nodiscard]] Transaction begin_shared();
  void write_chain(std::size_t chain, wallet::KeyChainState state, std::vector<KeyChainRow>& rows);
  [[nodiscard]] KeyChainRow read_stored_chain(std::size_t chain);
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
  Mode mode_;
  std::optional<FileName> name_;

 public:
  WalletRepository(WalletRepository&&) noexcept;
  WalletRepository& operator=(WalletRepository&&) noexcept;
  ~WalletRepository();
};

}  // namespace spv::store
