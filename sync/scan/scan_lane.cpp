#include "sync/scan/scan_lane.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::sync {

void ScanLane::load_filter(const bip37::BloomFilter& filter, FilterEpoch epoch, Outbox& out) {
  filtered_.load(filter, epoch, queue_);
  out.send(peer(), p2p::FilterLoad{filter});
}

void ScanLane::forget_requests() {
  queue_.forget();
  for (const BlockKind kind : kBlockKinds) method(kind).forget();
}

std::size_t ScanLane::in_flight_now() const {
  return static_cast<std::size_t>(queue_.end() - std::max(filtered_.filter_since(), queue_.first()));
}

RequestId ScanLane::request(const std::vector<chain::BlockRef>& blocks, BlockKind kind, std::uint64_t fence,
                            util::Now now, Outbox& out) {
  util::ensure(!blocks.empty(), "a batch has blocks");
  auto message = method(kind).ask(blocks);
  const RequestId first = queue_.add(blocks, kind, method(kind).epoch(), fence, now);
  out.send(peer(), std::move(message));
  out.send(peer(), p2p::Ping{fence});
  return first;
}

template <typename Offer>
LaneStep ScanLane::offer(Offer offer_to) {
  for (const BlockKind kind : kBlockKinds) {
    const LaneStep step = offer_to(method(kind));
    if (step.taken) return step;
  }
  return {};
}

LaneStep ScanLane::on(p2p::MerkleBlock& message, util::Now now) {
  return offer([&](ScanMethod& method) { return method.on(message, queue_, now); });
}

LaneStep ScanLane::on(const p2p::Block& message, chain::Height next, util::Now now) {
  return offer([&](ScanMethod& method) { return method.on(message, next, queue_, now); });
}

LaneStep ScanLane::on(chain::Transaction& tx, const chain::Txid& txid, util::Now now) {
  return offer([&](ScanMethod& method) { return method.on(tx, txid, queue_, now); });
}

LaneStep ScanLane::on(const p2p::CFilter& message, util::Now now) {
  return offer([&](ScanMethod& method) { return method.on(message, queue_, now); });
}

LaneStep ScanLane::on(const p2p::Pong& message, const KnownTransactions& known, util::Now now) {
  const auto last = queue_.on_fence(message.nonce, now);
  if (!last) return {};
  for (std::uint64_t number = queue_.first(); number <= *last; ++number) {
    if (const auto fault = settle(number, known)) return {.fault = fault, .taken = true};
  }
  return {.taken = true};
}

std::optional<DisconnectReason> ScanLane::settle(std::uint64_t number, const KnownTransactions& known) {
  PendingBlock& request = queue_.at(number);
  if (!request.counts) {
    request.answered = true;
    return std::nullopt;
  }
  if (!request.answered) return DisconnectReason::BlocksNotServed;
  return method(request.result.request.kind).complete(number, queue_, known);
}

std::optional<ScannedBlock> ScanLane::take() {
  while (!queue_.empty()) {
    const PendingBlock& front = queue_.at(queue_.first());
    if (!front.answered || (front.counts && front.missing > 0)) return std::nullopt;
    PendingBlock taken = queue_.take();
    if (!taken.counts) continue;
    method(taken.result.request.kind).on_taken(taken.result);
    return std::move(taken.result);
  }
  return std::nullopt;
}

std::optional<util::TimePoint> ScanLane::deadline() const {
  const auto since = queue_.waits_since();
  if (!since) return std::nullopt;
  const BlockKind kind = queue_.empty() ? BlockKind::Filtered : queue_.front_kind();
  return *since + method(kind).stall_timeout();
}

}  // namespace spv::sync
