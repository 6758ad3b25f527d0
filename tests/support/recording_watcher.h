// RecordingWatcher: wallets that stand where a test says, and write down what they are told, in order.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sync/watch/watcher.h"

namespace spv::test {

class RecordingWatcher : public sync::Watcher {
 public:
  // --- what a test sets -----------------------------------------------------------------------------------------
  sync::Standing stands;
  /// Birthdays given as a date, of wallets that have no height yet.
  std::set<util::UnixTime> born;
  std::uint64_t transactions_version = 0;
  std::vector<sync::MemberChanges> changes;

  // --- what it was told -----------------------------------------------------------------------------------------
  std::vector<std::string> calls;  // in order
  std::vector<sync::BlocksScanned> scanned;
  std::vector<wallet::HeightRange> owed;
  std::vector<chain::BlockRef> forks;
  std::vector<chain::Height> birthdays;
  std::vector<std::uint32_t> witnessed;

  [[nodiscard]] std::vector<util::Bytes> filter_elements() const override { return {}; }
  void each_script(const VisitScript&) const override {}
  [[nodiscard]] std::size_t script_count() const override { return 0; }
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const override { return {}; }
  [[nodiscard]] wallet::FilterIdentity filter_identity() const override { return {}; }
  [[nodiscard]] sync::Standing standing() const override {
    sync::Standing now = stands;
    if (!born.empty()) now.birthday_time = *born.begin();
    return now;
  }
  [[nodiscard]] bool is_relevant(const chain::Transaction& /*tx*/) const override { return false; }
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& /*txid*/) const override { return nullptr; }
  [[nodiscard]] chain::Amount net_of(const chain::Transaction& /*tx*/) const override { return 0; }
  [[nodiscard]] std::vector<sync::Conflict> conflicts() const override { return {}; }
  [[nodiscard]] std::vector<sync::OwnTransaction> own_pending() const override { return {}; }

  sync::WatchEffect on_confirmed(const chain::Transaction& /*tx*/, const wallet::Confirmation& /*confirmation*/,
                                 util::ByteView /*proof*/, util::UnixTime /*now*/) override {
    return {};
  }
  sync::WatchEffect on_unconfirmed(const chain::Transaction& /*tx*/, util::UnixTime /*now*/) override { return {}; }
  void on_tip(chain::Height /*height*/) override {}
  void on_scanned(const sync::BlocksScanned& blocks) override {
    calls.emplace_back("scanned");
    scanned.push_back(blocks);
  }
  void on_witnessed(std::uint32_t peers) override {
    calls.emplace_back("witnessed");
    witnessed.push_back(peers);
  }
  void on_owed(const wallet::HeightRange& blocks) override {
    calls.emplace_back("owed");
    owed.push_back(blocks);
  }
  /// They stand at the fork from then on, unless they stood below it.
  sync::WatchEffect on_disconnected_above(const chain::BlockRef& fork) override {
    calls.emplace_back("disconnected");
    forks.push_back(fork);
    if (stands.scanned_to.height > fork.height) stands.scanned_to = fork;
    return {};
  }
  sync::WatchEffect on_chain_known(const chain::HeaderChain& /*chain*/) override {
    calls.emplace_back("chain known");
    return {};
  }
  /// The earliest of those that were dates is known from then on.
  void on_birthday(chain::Height height) override {
    calls.emplace_back("birthday");
    birthdays.push_back(height);
    if (!born.empty()) born.erase(born.begin());
  }

  [[nodiscard]] std::uint64_t version() const override { return transactions_version; }
  [[nodiscard]] std::vector<sync::MemberChanges> take_changes() override {
    calls.emplace_back("changes taken");
    return std::exchange(changes, {});
  }
};

}  // namespace spv::test
