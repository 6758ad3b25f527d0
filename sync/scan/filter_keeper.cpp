#include "sync/scan/filter_keeper.h"

namespace spv::sync {

void FilterKeeper::plan(const std::vector<util::Bytes>& elements, const wallet::FilterIdentity& identity,
                        const std::set<chain::OutPoint>& coins) {
  plan_ = bip37::plan_filter(elements, fp_rate_, identity.tweak, identity.decoy_seed, bip37::UpdateFlags::All);
  bip37::BloomFilter filter = plan_->filter;
  for (const auto& coin : coins) filter.insert(coin.bytes());
  known_.emplace(std::move(filter));
  seen_ahead_.clear();  // the plan does not hold them
  planned_at_ = last_epoch_ + 1;
}

// True if the filters that were loaded so far do not hold the coins in it.
bool FilterKeeper::replay(const ProvenTransaction& proven) {
  const double before = known_->filter().fill_ratio();
  known_->replay(proven.tx, proven.txid);
  return known_->filter().fill_ratio() > before;
}

std::optional<FilterEpoch> FilterKeeper::learn(const ProvenTransaction& proven, const ScanBoard& board) {
  // A coin that was pending when the filters were planned is not new to them, but to those before it is.
  if (!known_ || replay(proven) || board.has_older_than(planned_at_)) return next_epoch();
  const auto ahead = seen_ahead_.find(proven.txid);
  return ahead == seen_ahead_.end() ? std::nullopt : std::optional(ahead->second);
}

bool FilterKeeper::learn_ahead(const ProvenTransaction& proven) {
  if (!known_ || !replay(proven)) return false;
  seen_ahead_.emplace(proven.txid, next_epoch());
  return true;
}

}  // namespace spv::sync
