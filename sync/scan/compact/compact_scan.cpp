#include "sync/scan/compact/compact_scan.h"

#include <algorithm>
#include <utility>

namespace spv::sync {

std::optional<util::Bytes> CompactScan::script_of(const chain::OutPoint& coin) const {
  const auto* tx = watcher_.find(coin.txid);
  if (tx == nullptr || coin.index >= tx->outputs.size()) return std::nullopt;
  return tx->outputs[coin.index].script_pubkey;
}

void CompactScan::watch_foreign(const chain::OutPoint& coin, const chain::Txid& by) {
  if (foreign_.size() < kMostForeign) foreign_.emplace(coin, by);
}

void CompactScan::refresh() {
  scripts_.clear();
  others_.clear();
  foreign_.clear();
  // Coins of others that a payment to us spends: one that comes from a transaction of ours has a script that we know.
  for (const auto& coin : watcher_.watched_outpoints()) {
    if (auto script = script_of(coin)) {
      others_.insert(std::move(*script));
    } else {
      watch_foreign(coin, {});
    }
  }
  watcher_.each_script([this](util::ByteView script) {
    scripts_.add(script);
    const auto found = others_.find(script);
    if (found != others_.end()) others_.erase(found);
  });
  for (const auto& script : others_) scripts_.add(script);
}

void CompactScan::watch_inputs(const chain::Transaction& tx, const chain::Txid& txid) {
  if (stale_) return;  // all will be looked at
  for (const auto& input : tx.inputs) {
    if (auto script = script_of(input.previous)) {
      const auto [place, is_new] = others_.insert(std::move(*script));
      if (is_new) scripts_.add(*place);
    } else {
      watch_foreign(input.previous, txid);
    }
  }
}

void CompactScan::on_confirmed(const chain::Transaction& tx, const chain::Txid& txid) {
  if (foreign_.empty()) return;
  for (const auto& input : tx.inputs) {
    const auto found = foreign_.find(input.previous);
    if (found == foreign_.end()) continue;
    const chain::Txid by = found->second;
    foreign_.erase(found);
    // What has lost against it waits for no block any more.
    if (by != txid && by != chain::Txid{}) std::erase_if(foreign_, [&](const auto& coin) { return coin.second == by; });
  }
}

util::Expected<bool, DisconnectReason> CompactScan::look_at(const chain::BlockRef& block, util::ByteView filter) {
  // A block has at most 100,000 scripts (1 MB of outputs of 10 bytes), of 21.5 bits each at the most.
  constexpr std::size_t kMostBytes = 300'000;
  if (filter.size() > kMostBytes) return util::Unexpected{DisconnectReason::BadFilter};
  // The lowest header is not proven.
  if (block.height <= headers_.base() || doubtful_.contains(block.height)) return true;
  if (!headers_.is_ours(block.height, bip158::filter_hash(filter)))
    return util::Unexpected{DisconnectReason::BadFilter};
  if (std::exchange(stale_, false)) refresh();
  const auto found = bip158::match_any(filter, block.hash, scripts_, scratch_);
  if (!found) return util::Unexpected{DisconnectReason::BadFilter};
  const bool newest = !foreign_.empty() && block.height > chain_.height() - kNewestBlocks;
  return *found || newest;
}

bool CompactScan::on_applied(chain::Height height) {
  if (height <= headers_.sent_by_two()) return true;
  if (headers_.peers() > 1 && by_one_.size() < kMostByOne) by_one_.insert(height);
  return false;
}

std::vector<chain::Height> CompactScan::take_confirmed() {
  const auto end = by_one_.upper_bound(headers_.sent_by_two());
  std::vector<chain::Height> out(by_one_.begin(), end);
  by_one_.erase(by_one_.begin(), end);
  return out;
}

void CompactScan::cut_above(chain::Height height) {
  headers_.cut_above(height);
  doubtful_.erase(doubtful_.upper_bound(height), doubtful_.end());
  by_one_.erase(by_one_.upper_bound(height), by_one_.end());
  if (trial_.is_on() && trial_.block().height > height) trial_.end();
}

}  // namespace spv::sync
