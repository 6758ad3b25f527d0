// TroubledStore: wallets in files, in a store that fails when a test says so.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/data_folder.h"
#include "client/open_wallet.h"
#include "store/store.h"
#include "store/wallet_repository.h"

namespace spv::test {

class TroubledStore final : public store::Store {
 public:
  TroubledStore(const client::DataFolder& folder, chain::Network network)
      : files_(client::make_store(folder, network)) {}

  std::vector<std::string> names() override { return files_->names(); }
  bool contains(const std::string& name) override { return files_->contains(name); }
  void create(const std::string& name, const store::NewStoredWallet& wallet,
              const std::function<void()>& before_naming) override {
    write();
    files_->create(name, wallet, before_naming);
  }
  std::unique_ptr<store::StoredWallet> open(const std::string& name, store::Access access) override {
    if (on_open) on_open();
    if (lost || lost_names.contains(name)) {
      throw store::StoreError(store::StoreError::Kind::Missing, "there is no wallet '" + name + "'");
    }
    return files_->open(name, access);
  }
  void rename(const std::string& from, const std::string& to) override { files_->rename(from, to); }
  void remove(const std::string& name) override { files_->remove(name); }

  void commit(std::span<store::WalletChanges> batch, util::UnixTime now) override {
    bool fenced = false;
    for (auto& each : batch) {
      const auto* file = dynamic_cast<store::WalletRepository*>(each.wallet);
      each.lost = taken_over.contains(file->log_name());
      fenced = fenced || each.lost;
    }
    if (fenced) throw store::StoreError(store::StoreError::Kind::Fenced, "another process follows the wallet");
    for (auto& each : batch) {
      write();
      files_->commit({&each, 1}, now);
    }
    if (!away) return;
    for (auto& each : batch) each.done = false;
    throw store::StoreError(store::StoreError::Kind::Unreachable, "the connection is lost");
  }
  void tell_tip(const store::ChainView& view, util::UnixTime now) override {
    if (tips_away) throw store::StoreError(store::StoreError::Kind::Unreachable, "the connection is lost");
    if (full) throw store::StoreError(store::StoreError::Kind::Full, "the disk is full");
    files_->tell_tip(view, now);
  }
  bool commits_together() const override { return together; }

  void share_wallets() override { files_->share_wallets(); }
  store::LeasedWallets wait_leased(std::chrono::milliseconds timeout) override { return files_->wait_leased(timeout); }

  std::vector<store::LoggedEvent> events(store::Seq after, std::size_t limit,
                                         const std::optional<std::string>& wallet) override {
    return files_->events(after, limit, wallet);
  }
  std::vector<store::LoggedEvent> wait_events(store::Seq after, std::size_t limit,
                                              const std::optional<std::string>& wallet,
                                              std::chrono::milliseconds timeout, const std::stop_token& stop) override {
    return files_->wait_events(after, limit, wallet, timeout, stop);
  }
  store::Seq newest_event() override { return files_->newest_event(); }
  std::optional<store::Seq> oldest_event() override { return files_->oldest_event(); }
  void prune_events(util::UnixTime before) override { files_->prune_events(before); }
  store::Seq position(const std::string& consumer) override { return files_->position(consumer); }
  void acknowledge(const std::string& consumer, store::Seq seq) override { files_->acknowledge(consumer, seq); }

  std::atomic<bool> full = false;       // takes nothing
  std::atomic<bool> full_once = false;  // takes everything but the next
  std::atomic<bool> lost = false;       // gives nothing
  std::set<std::string> lost_names;     // nor these
  std::set<std::string> taken_over;     // by another process
  std::atomic<bool> away = false;       // takes everything, and nobody hears of it
  std::atomic<bool> tips_away = false;  // takes no tip
  bool together = false;
  std::function<void()> on_open;
  std::function<void()> on_write;  // of each wallet

 private:
  void write() {
    if (on_write) on_write();
    if (full || full_once.exchange(false)) throw store::StoreError(store::StoreError::Kind::Full, "the disk is full");
  }

  std::shared_ptr<store::Store> files_;
};

/// The wallet as a store has it, also while it is open.
inline wallet::Wallet stored_wallet(const std::shared_ptr<store::Store>& store, const std::string& name) {
  return client::open_wallet(store, name, store::Access::Read).wallet;
}

}  // namespace spv::test
