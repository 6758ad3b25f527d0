#include "sync/scan/methods/whole_blocks.h"

namespace spv::sync {

p2p::Message WholeBlocks::ask(const std::vector<chain::BlockRef>& blocks) const {
  return getdata_of(p2p::InventoryType::WitnessBlock, blocks);
}

LaneStep WholeBlocks::on(const p2p::Block& message, chain::Height next, RequestQueue& queue, util::Now now) {
  const auto number = queue.find(message.header.hash(), BlockKind::Whole);
  if (!number) return {};
  if (const auto fault = queue.on_answer(*number, now)) return {.fault = fault, .taken = true};
  PendingBlock& request = queue.at(*number);
  if (!request.counts) return {.taken = true};
  const auto fault = fill(request.result, message, request.result.block.height > next);
  queue.hold(request.result.bytes);
  return {.fault = fault, .taken = true, .proven = !fault};
}

std::optional<DisconnectReason> WholeBlocks::fill(ScannedBlock& result, const p2p::Block& message, bool waits) {
  // The header's hash is that of a block of our chain, so its merkle root is too.
  auto matches = matcher_->fresh().match(message.header, message.body, waits);
  if (!matches) return reason_of(matches.error());
  result.time = message.header.time;
  result.transactions = matches->transactions;
  result.matched = std::move(matches->matched);
  result.spends = std::move(matches->spends);
  result.bytes = matches->bytes + result.spends.size() * sizeof(WatchSet::Fingerprint);
  if (result.matched.empty()) return std::nullopt;
  result.proof = p2p::encode_payload(p2p::MerkleBlock{.header = message.header, .tree = std::move(matches->tree)});
  return std::nullopt;
}

}  // namespace spv::sync
