// WalletGroup: many wallets behind the engine's door as if they were one. All of them stand at the same block; one that
// has seen less owes the blocks that it lacks as `backfill`, so the engine asks for those alone, once for all.
//
//   add -> joining --align (the best chain is known)--> member --remove--> gone
//
// What the engine commits is a digest: the changes of each wallet wait in take_changes().
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sync/watch/wallet_router.h"
#include "sync/watch/watcher.h"
#include "wallet/orphans.h"
#include "wallet/wallet.h"

namespace spv::sync {

class WalletGroup final : public Watcher {
 public:
  explicit WalletGroup(util::Rng rng) : router_(rng) {}

  /// `wallet` outlives its membership. It counts from the next align() on.
  void add(MemberId id, wallet::Wallet& wallet);
  /// What is not committed of it is lost: take_changes() first.
  void remove(MemberId id);
  [[nodiscard]] bool empty() const { return members_.empty(); }

  struct MemberChanges {
    MemberId member = 0;
    wallet::Changes changes;
  };
  /// What is to be committed, wallet by wallet, since the last call.
  [[nodiscard]] std::vector<MemberChanges> take_changes();
  /// The wallets that hold a transaction.
  [[nodiscard]] std::vector<MemberId> holders(const chain::Txid& txid) const;

  [[nodiscard]] std::vector<util::Bytes> filter_elements() const override;
  [[nodiscard]] std::vector<util::Bytes> watched_scripts() const override;
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const override;
  /// That of the first wallet: one tweak as long as it stays.
  [[nodiscard]] wallet::FilterIdentity filter_identity() const override;
  [[nodiscard]] const wallet::ScanState& scan() const override { return scan_; }
  [[nodiscard]] const wallet::WalletConfig& config() const override { return config_; }
  [[nodiscard]] chain::Height widened_from() const override { return widened_from_.value_or(config_.birthday); }
  [[nodiscard]] bool is_relevant(const chain::Transaction& tx) const override;
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& txid) const override;
  [[nodiscard]] chain::Amount net_of(const chain::Transaction& tx) const override;
  [[nodiscard]] std::vector<Conflict> conflicts() const override;
  [[nodiscard]] std::vector<OwnTransaction> own_pending() const override;

  wallet::Changes on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                               util::ByteView proof, util::UnixTime now) override;
  wallet::Changes on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) override;
  void note_tip(chain::Height height) override;
  wallet::Changes align(const chain::HeaderChain& chain) override;
  wallet::Changes on_disconnected_above(const chain::BlockRef& fork) override;
  wallet::Changes set_scan(wallet::ScanState scan) override;
  wallet::Changes set_birthday(chain::Height height) override;

 private:
  struct Member {
    wallet::Wallet* wallet = nullptr;
    bool joined = false;
    wallet::Changes pending;
    /// Blocks below its birthday, in the period of that, that may yet be attested for others.
    chain::Height doubtful = 0;
    /// What WalletWatcher::conflicts() said, until the wallet changes.
    mutable std::optional<std::vector<Conflict>> conflicts;
  };

  /// What the wallets that have joined watch, one after the other.
  template <typename Item>
  [[nodiscard]] std::vector<Item> of_all(std::vector<Item> (wallet::Wallet::*watched)() const) const;
  template <typename Apply>
  wallet::Changes offer(const chain::Transaction& tx, Apply apply);
  void take(MemberId id, Member& member, wallet::Changes changes, wallet::Changes& digest);
  [[nodiscard]] wallet::Attestation grown(Member& member, const wallet::Attestation& attested) const;
  static void doubt_from(Member& member, chain::Height from);
  void forget_attested(chain::Height from, chain::Height to, wallet::Changes& digest);
  void adopt_orphans(util::UnixTime now, wallet::Changes& digest);
  /// The group's own position and birthday, from those of its wallets. What it attests is counted here alone: every
  /// wallet adds what came to that to its own counts.
  void sum_up();

  std::map<MemberId, Member> members_;
  WalletRouter router_;
  wallet::Orphans orphans_;  // loose transactions that concern nobody yet
  wallet::ScanState scan_;
  wallet::WalletConfig config_;
  std::optional<chain::Height> position_;      // the first block that the engine believes to be lacking
  std::optional<chain::Height> widened_from_;  // since the scan last moved
  chain::Height known_tip_ = 0;
};

}  // namespace spv::sync
