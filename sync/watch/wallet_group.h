// WalletGroup: the wallets behind the engine's door, one or many. All of them stand at the same block; one that has
// seen less owes the blocks that it lacks, so the engine asks for those alone, once for all.
//
//   add -> joining --on_chain_known--> member --remove--> gone
//
// Where let_leave() allows it, a wallet of several that comes to watch more is not waited for: it leaves by itself.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sync/watch/wallet_router.h"
#include "sync/watch/watcher.h"
#include "wallet/orphans.h"
#include "wallet/wallet.h"

namespace spv::sync {

class WalletGroup final : public Watcher {
 public:
  explicit WalletGroup(util::Rng rng) : router_(rng) {}

  /// `wallet` outlives its membership. It counts from the next on_chain_known() on.
  void add(MemberId id, wallet::Wallet& wallet);
  /// What is not committed of it is lost: take_changes() first.
  void remove(MemberId id);
  [[nodiscard]] bool empty() const { return members_.empty(); }
  /// Whether a wallet that comes to watch more leaves: the others need not scan again for it. It owes all its blocks.
  void let_leave(bool allowed) { may_leave_ = allowed; }
  /// Those that have left since the last call, with what is to be committed of them still.
  [[nodiscard]] std::vector<MemberChanges> take_left();
  /// A wallet has come to watch scripts that nobody knows yet: no block before needs to be scanned for them. The engine
  /// is to be told that more is watched.
  void on_scripts_added(MemberId id);
  /// The wallets that hold a transaction.
  [[nodiscard]] std::vector<MemberId> holders(const chain::Txid& txid) const;
  /// A payment that one of the wallets makes, see Wallet::add_own; the others see it too. The engine is to be told that
  /// more is watched.
  [[nodiscard]] util::Expected<void, wallet::PaymentError> add_own(MemberId id, const chain::Transaction& tx,
                                                                   wallet::SendState state, util::UnixTime now,
                                                                   const wallet::OwnPaymentTerms& terms);

  [[nodiscard]] std::vector<util::Bytes> filter_elements() const override;
  void each_script(const VisitScript& visit) const override;
  [[nodiscard]] std::size_t script_count() const override;
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const override;
  /// That of the first wallet: one tweak as long as it stays.
  [[nodiscard]] wallet::FilterIdentity filter_identity() const override;
  [[nodiscard]] Standing standing() const override;
  [[nodiscard]] bool is_relevant(const chain::Transaction& tx) const override;
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& txid) const override;
  [[nodiscard]] chain::Amount net_of(const chain::Transaction& tx) const override;
  [[nodiscard]] std::vector<Conflict> conflicts() const override;
  [[nodiscard]] std::vector<OwnTransaction> own_pending() const override;

  WatchEffect on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation, util::ByteView proof,
                           util::UnixTime now) override;
  WatchEffect on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) override;
  void on_tip(chain::Height height) override;
  void on_scanned(const BlocksScanned& blocks) override;
  void on_witnessed(std::uint32_t peers) override;
  void on_owed(const wallet::HeightRange& blocks) override;
  WatchEffect on_disconnected_above(const chain::BlockRef& fork) override;
  WatchEffect on_chain_known(const chain::HeaderChain& chain) override;
  void on_birthday(chain::Height height) override;

  [[nodiscard]] std::uint64_t version() const override { return version_; }
  [[nodiscard]] std::vector<MemberChanges> take_changes() override;

 private:
  struct Member {
    wallet::Wallet* wallet = nullptr;
    bool joined = false;
    bool routed = false;  // the router knows its scripts and transactions
    /// Where it has stood, at the lowest.
    chain::Height lowest = std::numeric_limits<chain::Height>::max();
    wallet::Changes pending;
    /// What the wallet said last, until it changes.
    mutable std::optional<std::vector<Conflict>> conflicts;

    /// The first block that counts for it: that of its birthday, or one below to which a reorganisation has led it.
    [[nodiscard]] chain::Height first() const { return std::min(lowest, wallet->config().birthday); }
  };

  /// What the wallets that have joined watch, one after the other.
  template <typename Item>
  [[nodiscard]] std::vector<Item> of_all(std::vector<Item> (wallet::Wallet::*watched)() const) const;
  /// A wallet alone needs no router.
  [[nodiscard]] bool is_sole() const { return members_.size() == 1; }
  /// The wallets that a transaction may concern.
  [[nodiscard]] std::vector<MemberId> concerned(const chain::Transaction& tx) const;
  template <typename Apply>
  WatchEffect offer(const chain::Transaction& tx, Apply apply);
  void take(MemberId id, Member& member, wallet::Changes changes);
  void leave(MemberId id, wallet::Changes changes);
  /// How a wallet stands once these blocks are owed to it.
  [[nodiscard]] static wallet::ScanState owing(const Member& member, const wallet::HeightRange& blocks);
  /// Pays one of the wallets or spends from it.
  [[nodiscard]] bool is_own(const chain::Transaction& tx) const;
  /// What is told of a step: strangers' transactions left out, the others with their sums.
  [[nodiscard]] WatchEffect settled(WatchEffect effect) const;
  [[nodiscard]] WatchEffect undone_effect(const std::set<chain::Txid>& undone) const;
  WatchEffect adopt_orphans(util::UnixTime now);
  /// Once the router is needed.
  void route(MemberId id, Member& member);
  void route_all(MemberId id, const wallet::Wallet& wallet);
  void route_transaction(MemberId id, const wallet::Wallet& wallet, const wallet::TxRecord& record);
  void unroute(MemberId id, const wallet::Wallet& wallet);
  void make_room_to_route();
  /// The wallets that may hold a transaction.
  [[nodiscard]] std::vector<MemberId> possible_holders(const chain::Txid& txid) const;
  /// Gives every wallet that has joined its next scan state: `next(member)`.
  template <typename Next>
  void move_members(Next next);

  std::map<MemberId, Member> members_;
  WalletRouter router_;
  std::size_t routed_ = 0;  // members that the router knows
  wallet::AnchorUpdates anchors_;
  wallet::Orphans orphans_;  // loose transactions that concern none of several wallets yet
  bool may_leave_ = false;
  std::map<MemberId, wallet::Changes> left_;  // and what is to be committed of them
  chain::Height known_tip_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace spv::sync
