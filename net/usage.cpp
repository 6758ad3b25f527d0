#include "net/usage.h"

#include <algorithm>

#include "bip37/murmur3.h"
#include "util/overloaded.h"

namespace spv::net {
namespace {

Cause cause_of_items(const std::vector<p2p::InventoryItem>& items) {
  if (items.empty()) return Cause::Other;
  switch (items.front().type) {
    case p2p::InventoryType::FilteredBlock:
      return Cause::FilteredBlocks;
    case p2p::InventoryType::Block:
    case p2p::InventoryType::WitnessBlock:
      return Cause::Blocks;
    default:
      return Cause::Transactions;
  }
}

/// Tells filters apart; nobody gains by making two look alike.
std::uint64_t fingerprint(const bip37::BloomFilter& filter) {
  const auto hash = [&](std::uint32_t seed) { return std::uint64_t{bip37::murmur3(seed, filter.bits())}; };
  return (hash(filter.tweak()) << 32U) | hash(filter.tweak() + filter.hash_funcs());
}

}  // namespace

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, kCauses> kNames{"headers", "filtered_blocks", "blocks", "transactions",
                                                         "filters", "addresses",       "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

Cause cause_of(const p2p::Message& message) {
  return std::visit(
      util::Overloaded{
          [](const p2p::Headers&) { return Cause::Headers; }, [](const p2p::GetHeaders&) { return Cause::Headers; },
          [](const p2p::SendHeaders&) { return Cause::Headers; },
          [](const p2p::MerkleBlock&) { return Cause::FilteredBlocks; },
          [](const p2p::Block&) { return Cause::Blocks; }, [](const p2p::Tx&) { return Cause::Transactions; },
          [](const p2p::Mempool&) { return Cause::Transactions; },
          [](const p2p::Inv& m) { return cause_of_items(m.items); },
          [](const p2p::GetData& m) { return cause_of_items(m.items); },
          [](const p2p::NotFound& m) { return cause_of_items(m.items); },
          [](const p2p::FilterLoad&) { return Cause::Filters; }, [](const p2p::FilterClear&) { return Cause::Filters; },
          [](const p2p::GetAddr&) { return Cause::Addresses; }, [](const p2p::Addr&) { return Cause::Addresses; },
          [](const p2p::AddrV2&) { return Cause::Addresses; }, [](const auto&) { return Cause::Other; }},
      message);
}

void Usage::on_received(const sync::PeerAddress& from, const p2p::Message& message, std::size_t bytes,
                        util::UnixTime now) {
  traffic_[static_cast<std::size_t>(cause_of(message))].bytes_in += bytes;
  PeerUsage& peer = at(from);
  peer.bytes_in += bytes;
  peer.last_answer = now;
}

void Usage::on_sent(const sync::PeerAddress& to, const p2p::Message& message, std::size_t bytes, util::UnixTime now) {
  traffic_[static_cast<std::size_t>(cause_of(message))].bytes_out += bytes;
  PeerUsage& peer = at(to);
  peer.bytes_out += bytes;
  const auto* load = std::get_if<p2p::FilterLoad>(&message);
  if (load == nullptr) return;
  ++peer.loads;
  peer.filters.insert(fingerprint(load->filter));
  peer.filter_bytes += bytes;
  peer.last_load = now;
}

PeerUsage Usage::of(const sync::PeerAddress& peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? PeerUsage{} : found->second;
}

PeerUsage& Usage::at(const sync::PeerAddress& peer) {
  const auto found = peers_.find(peer);
  if (found != peers_.end()) return found->second;
  if (peers_.size() >= kMaxPeers) {
    peers_.erase(std::ranges::min_element(peers_, {}, [](const auto& item) { return item.second.last_answer; }));
  }
  return peers_[peer];
}

}  // namespace spv::net
