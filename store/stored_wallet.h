// StoredWallet: one wallet as a store keeps it, in a file or in the rows of a database.
//
// One process at a time follows a wallet (Access::Write) and commits what it finds, see Store::commit(). What belongs
// to the user, which addresses are handed out and the labels, others change beside it (Access::Shared): in short
// transactions that read afresh what they change. Of two numbers of addresses handed out the higher one counts, so that
// no address is handed out twice. What a function returned from is durable; where it throws StoreError, nothing
// changed, except with kind Unreachable: then that is not known.
//
// For one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "chain/transaction.h"
#include "store/store_error.h"
#include "util/secret.h"
#include "util/time.h"
#include "wallet/label.h"
#include "wallet/records.h"

namespace spv::store {

/// What a wallet was made from.
enum class WalletKind { Mnemonic, Watch };
std::string_view to_string(WalletKind kind);

/// What a stored wallet says about itself.
struct WalletInfo {
  WalletKind kind = WalletKind::Watch;
  util::UnixTime created = 0;
  std::optional<std::array<std::uint8_t, 4>> fingerprint;  // of the master key (BIP32)
  bool encrypted = false;                                  // set from the secret's format
};

/// The secret of a wallet as it is stored; what the bytes mean is up to `format`.
struct StoredSecret {
  enum class Format { Plain = 0, Encrypted = 1 };
  Format format = Format::Plain;
  util::SecretBytes data;
};

/// Everything but the secret and the labels.
struct WalletContents {
  wallet::WalletConfig config;
  wallet::WalletState state;
};

/// All of it.
struct WalletCopy {
  WalletContents contents;
  WalletInfo info;
  std::optional<StoredSecret> secret;
  std::vector<wallet::Label> labels;
};

enum class Access { Read, Shared, Write };

class StoredWallet {
 public:
  StoredWallet(const StoredWallet&) = delete;
  StoredWallet& operator=(const StoredWallet&) = delete;
  virtual ~StoredWallet() = default;

  [[nodiscard]] virtual const WalletInfo& info() const = 0;
  [[nodiscard]] virtual chain::Network network() const = 0;
  /// One consistent moment, with every value checked.
  [[nodiscard]] virtual WalletContents load() = 0;

  /// It can keep the balance (wallet::Changes::balance), and has none of what is stored now.
  [[nodiscard]] virtual bool lacks_balance() { return false; }

  // --- Access::Write --------------------------------------------------------------------------------------
  /// Replaces what a wallet watches: its gap limit, its birthday and its key chains (those that it has first, in their
  /// order), with the scan that it owes then. Its transactions stay.
  virtual void reconfigure(const WalletContents& contents) = 0;
  /// Replaces the secret, as when a passphrase is set. False if the old one cannot be erased from the disk yet.
  [[nodiscard]] virtual bool replace_secret(const StoredSecret& secret) = 0;

  // --- also Access::Shared --------------------------------------------------------------------------------
  /// Hands out an address for good. False if that is done already, or it has been used by now: load() and choose again.
  [[nodiscard]] virtual bool issue(std::size_t chain, std::uint32_t index) = 0;
  virtual void change_labels(const std::vector<wallet::LabelChange>& changes) = 0;

  // --- also Access::Read ----------------------------------------------------------------------------------
  /// How many addresses of each chain are handed out, by this process or another.
  [[nodiscard]] virtual std::vector<std::uint32_t> issued() = 0;
  [[nodiscard]] virtual std::vector<wallet::Label> labels() = 0;
  /// The coins that the user keeps from being spent: outputs whose label says so (BIP329).
  [[nodiscard]] virtual std::vector<chain::OutPoint> frozen() = 0;
  [[nodiscard]] virtual std::optional<StoredSecret> secret() = 0;
  /// All of it, of one moment, also while another process writes it.
  [[nodiscard]] virtual WalletCopy copy() = 0;

  /// Nothing is expected for a while: gives back handles and memory that the next call gets again.
  virtual void rest() {}

 protected:
  StoredWallet() = default;
  StoredWallet(StoredWallet&&) = default;
  StoredWallet& operator=(StoredWallet&&) = default;
};

}  // namespace spv::store
