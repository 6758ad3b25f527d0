#include "client/wallet_board.h"

#include <algorithm>
#include <mutex>

#include "wallet/wallet.h"

namespace spv::client {
namespace {

void set_position(WalletSummary& summary, const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  const auto& config = wallet.config();
  summary.scanned_to.reset();
  if (!scan.scanned_to.hash.is_zero()) {
    summary.scanned_to = scan.backfill ? scan.backfill->from - 1 : scan.scanned_to.height;
    if (*summary.scanned_to < 0) summary.scanned_to.reset();  // all is to be scanned again
  }
  summary.birthday = config.birthday_time ? std::nullopt : std::optional(config.birthday);
}

}  // namespace

WalletSummary summary_of(const wallet::Wallet& wallet, bool watch_only) {
  WalletSummary out;
  const auto sums = wallet.balance();
  out.balance = {sums.confirmed, sums.unconfirmed, sums.immature};
  out.gap_limit = wallet.config().gap_limit;
  out.scripts = wallet.script_count();
  out.watch_only = watch_only;
  set_position(out, wallet);
  return out;
}

bool is_synced(const WalletSummary& wallet, const ChainSummary& chain) {
  return chain.tip && wallet.scanned_to && *wallet.scanned_to >= chain.tip->height;
}

void WalletBoard::put(const std::string& name, WalletSummary summary) {
  auto entry = std::make_shared<const WalletSummary>(summary);
  const std::unique_lock lock(mutex_);
  const bool is_new = wallets_.insert_or_assign(name, std::move(entry)).second;
  if (is_new) came_.notify_all();
}

void WalletBoard::move(const std::string& name, const wallet::Wallet& wallet) {
  const Entry before = find(name);
  if (!before) return;
  WalletSummary moved = *before;
  set_position(moved, wallet);
  put(name, moved);
}

void WalletBoard::remove(const std::string& name) {
  const std::unique_lock lock(mutex_);
  wallets_.erase(name);
}

void WalletBoard::clear() {
  const std::unique_lock lock(mutex_);
  wallets_.clear();
}

void WalletBoard::put(const ChainSummary& chain) {
  const std::unique_lock lock(mutex_);
  chain_ = chain;
}

WalletBoard::Entry WalletBoard::find(const std::string& name) const {
  const std::shared_lock lock(mutex_);
  const auto found = wallets_.find(name);
  return found == wallets_.end() ? nullptr : found->second;
}

WalletBoard::Entry WalletBoard::await(const std::string& name, std::chrono::milliseconds timeout) {
  std::shared_lock lock(mutex_);
  auto found = wallets_.end();
  const auto is_open = [&] { return (found = wallets_.find(name)) != wallets_.end(); };
  return came_.wait_for(lock, timeout, is_open) ? found->second : nullptr;
}

std::size_t WalletBoard::size() const {
  const std::shared_lock lock(mutex_);
  return wallets_.size();
}

ChainSummary WalletBoard::chain() const {
  const std::shared_lock lock(mutex_);
  return chain_;
}

std::size_t WalletBoard::synced() const {
  const std::shared_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(wallets_, [&](const auto& item) { return is_synced(*item.second, chain_); }));
}

}  // namespace spv::client
