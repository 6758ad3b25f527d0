#include "serve/gauges.h"

#include <algorithm>

namespace spv::serve {

Gauges gauges_of(const client::SyncReport& sync, const client::Backend& backend) {
  Gauges out;
  out.version = version();
  out.network = backend.params().name;
  out.scan.blocks = sync.counts.merkleblocks + sync.counts.blocks;
  out.scan.transactions_seen = sync.counts.transactions;
  out.scan.transactions_matched = sync.counts.matched;
  out.scan.transactions_relevant = sync.counts.relevant;
  for (const auto& each : sync.sent) out.scan.filter_bytes += each.bytes;
  out.scan.false_positive_rate = client::observed_fp_rate(sync.counts);
  if (!sync.filters.empty()) out.scan.false_positive_rate_target = sync.filters.front().fp_target;
  const auto chain = backend.board().chain();
  out.peers = chain.peers;
  if (chain.tip) out.height = chain.tip->height;
  for (std::size_t i = 0; i < net::kCauses; ++i) {
    const auto& traffic = sync.by_cause[i];
    out.traffic.push_back({std::string(net::to_string(static_cast<net::Cause>(i))), traffic.in, traffic.out});
  }
  out.wallets.synced = backend.board().synced();
  out.wallets.catching_up = backend.board().size() - std::min(backend.board().size(), out.wallets.synced);
  return out;
}

}  // namespace spv::serve
