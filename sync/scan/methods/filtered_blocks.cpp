#include "sync/scan/methods/filtered_blocks.h"

#include <utility>

#include "bip37/partial_merkle_tree.h"
#include "util/ensure.h"

namespace spv::sync {

void FilteredBlocks::load(const bip37::BloomFilter& filter, FilterEpoch epoch, const RequestQueue& queue) {
  filters_.push_back({epoch, bip37::FilterMirror(filter), queue.end()});
  drop_old_filters(queue.first());
  unmatched_ = 0;
}

// An earlier filter is needed until the last block that was asked for under it is taken.
void FilteredBlocks::drop_old_filters(std::uint64_t next) {
  while (filters_.size() > 1 && filters_[1].first <= next) filters_.pop_front();
}

void FilteredBlocks::forget() {
  owed_to_earlier_ += awaited_.size();
  awaited_.clear();
}

p2p::Message FilteredBlocks::ask(const std::vector<chain::BlockRef>& blocks) const {
  util::ensure(has_filter(), "filtered blocks need a filter");
  return getdata_of(p2p::InventoryType::FilteredBlock, blocks);
}

LaneStep FilteredBlocks::on(p2p::MerkleBlock& message, RequestQueue& queue, util::Now now) {
  const auto number = queue.find(message.header.hash(), BlockKind::Filtered);
  if (!number) return {};  // not asked for: it confirms nothing
  if (const auto fault = queue.on_answer(*number, now)) return {.fault = fault, .taken = true};
  return {.fault = fill(*number, message, queue), .taken = true};
}

std::optional<DisconnectReason> FilteredBlocks::fill(std::uint64_t number, p2p::MerkleBlock& message,
                                                     RequestQueue& queue) {
  PendingBlock& request = queue.at(number);
  // The header's hash is that of a block of our chain, so its merkle root is too.
  auto proven = bip37::extract_matches(message.tree);
  if (!proven || proven->root != message.header.merkle_root) return DisconnectReason::BadProof;
  if (!request.counts) {
    owed_to_earlier_ += proven->matches.size();
    return std::nullopt;
  }
  ScannedBlock& result = request.result;
  result.time = message.header.time;
  result.transactions = message.tree.transactions;
  if (proven->matches.empty()) return std::nullopt;
  result.proof = p2p::payload_of(std::move(message));
  result.matched.reserve(proven->matches.size());
  for (const auto& match : proven->matches) {
    awaited_.insert_or_assign(match.txid, Awaited{number, result.matched.size()});
    result.matched.push_back({.index = match.index, .txid = match.txid, .tx = {}});
  }
  request.missing = result.matched.size();
  return std::nullopt;
}

LaneStep FilteredBlocks::on(chain::Transaction& tx, const chain::Txid& txid, RequestQueue& queue, util::Now now) {
  const auto found = awaited_.find(txid);
  if (found == awaited_.end()) return {};
  queue.on_progress(now);
  const Awaited awaited = found->second;
  awaited_.erase(found);
  return {.fault = place(queue.at(awaited.request), awaited.slot, std::move(tx), queue), .taken = true};
}

std::optional<DisconnectReason> FilteredBlocks::place(PendingBlock& request, std::size_t slot, chain::Transaction&& tx,
                                                      RequestQueue& queue) {
  const auto valid = chain::check_structure(tx);
  // A real block can hold a transaction of 64 bytes; it is left empty here and so never reaches a wallet.
  if (!valid && valid.error() != chain::TxError::AmbiguousSize) return DisconnectReason::BadTransaction;
  if (valid) {
    // With a witness that nothing has proven, where the peer has sent one: it takes memory all the same.
    const std::size_t bytes = tx.serialized_size();
    request.result.bytes += bytes;
    queue.hold(bytes);
    request.result.matched[slot].tx = std::move(tx);
  }
  --request.missing;
  // A node sends a block's transactions before the next block: only a hostile one lets blocks pile up behind a gap.
  const PendingBlock& front = queue.at(queue.first());
  const bool gap = &front != &request && front.counts && front.missing > 0;
  if (gap && queue.held_bytes() > kMaxHeldBytes) return DisconnectReason::MissingTransaction;
  return std::nullopt;
}

// At its fence a block is complete, or the peer is at fault. A transaction that we hold already may be left out.
std::optional<DisconnectReason> FilteredBlocks::complete(std::uint64_t number, RequestQueue& queue,
                                                         const KnownTransactions& known) {
  PendingBlock& request = queue.at(number);
  for (std::size_t slot = 0; request.missing > 0 && slot < request.result.matched.size(); ++slot) {
    const auto awaited = awaited_.find(request.result.matched[slot].txid);
    if (awaited == awaited_.end() || awaited->second.request != number) continue;
    const auto* tx = known(awaited->first);
    if (tx == nullptr) return DisconnectReason::MissingTransaction;
    awaited_.erase(awaited);
    if (const auto fault = place(request, slot, chain::Transaction(*tx), queue)) return fault;
  }
  if (request.missing > 0) return DisconnectReason::MissingTransaction;
  return std::nullopt;
}

void FilteredBlocks::on_taken(ScannedBlock& block) {
  const std::uint64_t number = block.request.number;
  drop_old_filters(number);
  util::ensure(filters_.front().first <= number, "a request has the filter it was made under");
  bip37::FilterMirror& mirror = filters_.front().mirror;
  std::erase_if(block.matched, [](const ProvenTransaction& proven) { return proven.tx.inputs.empty(); });
  for (const auto& proven : block.matched) {
    if (!mirror.replay(proven.tx, proven.txid)) ++unmatched_;
  }
}

bool FilteredBlocks::excuses(const chain::Transaction& tx, const chain::Txid& txid) {
  if (owed_to_earlier_ > 0) {
    --owed_to_earlier_;
    return true;
  }
  if (filters_.empty()) return false;
  bip37::FilterMirror copy = mirror();  // only what a proof places in a block changes the peer's filter
  return copy.replay(tx, txid);
}

}  // namespace spv::sync
