// Books: the scripts of all wallets that are followed, found by their hashes, and what is known of each. Of one thread.
//
// Clients ask by hash, which cannot be turned back. So that a script that a client uses and the wallet here does not
// watch yet is recognized, scripts further along the key chains can be put in beside those that are watched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "serve/electrum/wallet_view.h"

namespace spv::serve::electrum {

/// Where a script belongs.
struct ScriptPlace {
  std::string wallet;
  std::uint32_t chain = 0;
  std::uint32_t index = 0;
  friend bool operator==(const ScriptPlace&, const ScriptPlace&) = default;
};

/// A stretch of a key chain.
struct Stretch {
  std::string wallet;
  std::uint32_t chain = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  wallet::Descriptor descriptor;
};

class Books {
 public:
  /// Scripts beyond the watched ones that are recognized, for each key chain and in all.
  static constexpr std::uint32_t kAhead = 1'000;
  static constexpr std::size_t kMostAhead = 500'000;

  struct Found {
    enum class Kind {
      Known,     // its history is what the chain says
      Scanning,  // watched, but the chain is not scanned for it yet
      Ahead,     // not watched
      Stranger,
    };
    Kind kind = Kind::Stranger;
    ScriptPlace place;              // of a stranger: none
    chain::Height scanned_to = -1;  // while it is scanned for
  };

  /// The new state of a wallet. Gives the scripts of which clients may have to be told.
  std::vector<ScriptHash> put(const std::shared_ptr<const WalletView>& view);
  void remove(const std::string& wallet);
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<const WalletView> view(const std::string& wallet) const;
  [[nodiscard]] std::size_t size() const { return wallets_.size(); }
  [[nodiscard]] std::set<std::string> names() const;
  /// Those that are not scanned for all that they watch.
  [[nodiscard]] std::vector<std::string> incomplete() const;

  [[nodiscard]] Found find(const ScriptHash& script) const;
  [[nodiscard]] ScriptHistory history(const ScriptHash& script) const;
  [[nodiscard]] Status status(const ScriptHash& script) const;
  /// A wallet that holds a transaction.
  [[nodiscard]] std::optional<std::string> holder(const chain::Txid& txid) const;
  /// Of those transactions the one at this place of a block.
  [[nodiscard]] std::optional<chain::Txid> at(chain::Height height, std::uint32_t index) const;

  /// What is still missing of the scripts ahead.
  [[nodiscard]] std::vector<Stretch> missing_ahead() const;
  void put_ahead(const Stretch& stretch, const std::vector<ScriptHash>& scripts);

 private:
  struct Shelf {
    std::shared_ptr<const WalletView> view;
    std::vector<std::uint32_t> sound;  // of each chain the scripts below this are scanned for
    std::vector<std::uint32_t> ahead;  // those below this are recognized
  };
  struct Owner {
    std::uint32_t wallet = 0;
    std::uint32_t chain = 0;
    std::uint32_t index = 0;
  };
  using Owners = std::unordered_multimap<ScriptHash, Owner>;

  [[nodiscard]] std::uint32_t number_of(const std::string& wallet);
  void enter(std::uint32_t number, const WatchedScripts& known, const WatchedScripts& now);
  void forget(std::uint32_t number);
  [[nodiscard]] std::vector<const WalletView::Entry*> entries(const ScriptHash& script) const;
  [[nodiscard]] ScriptPlace place_of(const Owner& owner) const;

  std::map<std::uint32_t, Shelf> wallets_;
  std::map<std::string, std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
  Owners owners_;
  Owners ahead_;
};

}  // namespace spv::serve::electrum
