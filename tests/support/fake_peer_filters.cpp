// How a FakePeer answers the requests of BIP157: with silence and hanging up where Core does so.
#include <optional>

#include "tests/support/fake_peer.h"

namespace spv::test {
namespace {

constexpr chain::Height kMaxFilters = 1'000;
constexpr chain::Height kMaxFilterHashes = 2'000;
constexpr chain::Height kCheckpointInterval = 1'000;

}  // namespace

// Nothing: no answer, and perhaps the end of the connection.
const FilterIndex::Entry* FakePeer::filter_stop(std::uint8_t type, const chain::BlockHash& stop, Reply& out) {
  const Block* block = node_.find_block(stop);
  out.closed = type != bip158::kBasicType || !offers(p2p::services::kCompactFilters) || block == nullptr;
  if (out.closed || block->height > node_.filters_up_to) return nullptr;
  return &node_.filter_of(*block);
}

const FilterIndex::Entry* FakePeer::filter_range_stop(const p2p::FilterRange& range, chain::Height limit, Reply& out) {
  const FilterIndex::Entry* stop = filter_stop(range.filter_type, range.stop, out);
  const Block* block = node_.find_block(range.stop);
  if (out.closed) return nullptr;
  const auto height = static_cast<std::uint32_t>(block->height);
  out.closed = range.start_height > height || height - range.start_height >= static_cast<std::uint32_t>(limit);
  return out.closed ? nullptr : stop;
}

void FakePeer::on(const p2p::GetCFilters& request, Reply& out) {
  const auto* stop = filter_range_stop(request.range, kMaxFilters, out);
  if (stop == nullptr) return;
  std::vector<const FilterIndex::Entry*> entries;
  const auto start = static_cast<chain::Height>(request.range.start_height);
  for (const auto* entry = stop; entry != nullptr && entry->height >= start; entry = entry->previous) {
    entries.push_back(entry);
  }
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    ++node_.seen.filters[(*entry)->height];
    out.messages.emplace_back(p2p::CFilter{bip158::kBasicType, (*entry)->block, (*entry)->filter});
  }
}

void FakePeer::on(const p2p::GetCFHeaders& request, Reply& out) {
  ++node_.seen.filter_header_requests;
  const auto* stop = filter_range_stop(request.range, kMaxFilterHashes, out);
  if (stop == nullptr) return;
  const auto start = static_cast<chain::Height>(request.range.start_height);
  p2p::CFHeaders answer{bip158::kBasicType, stop->block, {}, {}};
  answer.filter_hashes.resize(static_cast<std::size_t>(stop->height - start) + 1);
  const auto* entry = stop;
  for (auto hash = answer.filter_hashes.rbegin(); hash != answer.filter_hashes.rend(); entry = entry->previous) {
    *hash++ = entry->hash;
  }
  if (entry != nullptr) answer.previous_header = entry->header;
  out.messages.emplace_back(std::move(answer));
}

void FakePeer::on(const p2p::GetCFCheckpt& request, Reply& out) {
  ++node_.seen.filter_checkpoint_requests;
  const auto* stop = filter_stop(request.filter_type, request.stop, out);
  if (stop == nullptr) return;
  p2p::CFCheckpt answer{bip158::kBasicType, stop->block, {}};
  for (chain::Height height = kCheckpointInterval; height <= stop->height; height += kCheckpointInterval) {
    answer.filter_headers.push_back(stop->ancestor(height).header);
  }
  out.messages.emplace_back(std::move(answer));
}

}  // namespace spv::test
