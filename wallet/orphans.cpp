#include "wallet/orphans.h"

#include <utility>

#include "wallet/ledger.h"

namespace spv::wallet {
namespace {

std::size_t cost_of(const TxRecord& record) { return record.tx.serialized_size() + record.proof.size(); }

}  // namespace

void Orphans::add(TxRecord record) {
  const auto held = by_txid_.find(record.txid);
  if (held != by_txid_.end()) {
    TxRecord merged = remove(held->second);
    absorb(merged, std::move(record));
    return insert(std::move(merged));
  }
  insert(std::move(record));
}

std::vector<TxRecord> Orphans::take_spenders(const chain::OutPoint& outpoint) {
  std::vector<TxRecord> taken;
  for (auto found = by_input_.find(outpoint); found != by_input_.end(); found = by_input_.find(outpoint)) {
    taken.push_back(remove(found->second));
  }
  return taken;
}

std::vector<TxRecord> Orphans::take_if(const std::function<bool(const chain::Transaction&)>& picks) {
  std::vector<Arrival> picked;
  for (const auto& [arrival, entry] : by_arrival_) {
    if (picks(entry.record.tx)) picked.push_back(arrival);
  }
  std::vector<TxRecord> taken;
  taken.reserve(picked.size());
  for (const Arrival arrival : picked) taken.push_back(remove(arrival));
  return taken;
}

void Orphans::disconnect_above(chain::Height height, const std::function<std::uint64_t()>& next_sequence) {
  std::vector<Arrival> coinbases;
  for (auto& [arrival, entry] : by_arrival_) {
    auto& confirmation = entry.record.confirmation;
    if (!confirmation || confirmation->block.height <= height) continue;
    entry.record.seen_at = confirmation->block.height;
    confirmation.reset();
    entry.record.proof.clear();
    entry.record.sequence = next_sequence();
    if (entry.record.tx.is_coinbase()) coinbases.push_back(arrival);
  }
  for (const Arrival arrival : coinbases) remove(arrival);
}

void Orphans::insert(TxRecord record) {
  const std::size_t cost = cost_of(record);
  if (cost > kMaxBytes) return;
  while (by_arrival_.size() >= kMaxCount || bytes_ + cost > kMaxBytes) remove(by_arrival_.begin()->first);
  const Arrival arrival = next_arrival_++;
  by_txid_.emplace(record.txid, arrival);
  for (const auto& input : record.tx.inputs) by_input_.emplace(input.previous, arrival);
  bytes_ += cost;
  by_arrival_.emplace(arrival, Entry{.record = std::move(record), .bytes = cost});
}

TxRecord Orphans::remove(Arrival arrival) {
  const auto found = by_arrival_.find(arrival);
  Entry entry = std::move(found->second);
  by_arrival_.erase(found);
  by_txid_.erase(entry.record.txid);
  bytes_ -= entry.bytes;
  for (const auto& input : entry.record.tx.inputs) {
    const auto [first, last] = by_input_.equal_range(input.previous);
    for (auto it = first; it != last; ++it) {
      if (it->second != arrival) continue;
      by_input_.erase(it);
      break;
    }
  }
  return std::move(entry.record);
}

}  // namespace spv::wallet
