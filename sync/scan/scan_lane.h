// ScanLane: one peer's pipeline of blocks, by whatever method they are asked for: requests go out, answers are proven
// and completed, and taken out strictly in the order of the requests. What the order resists is silence.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "sync/scan/methods/compact_blocks.h"
#include "sync/scan/methods/filtered_blocks.h"
#include "sync/scan/methods/whole_blocks.h"
#include "sync/scan/request_queue.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class ScanLane {
 public:
  /// `strict`: loose transactions are silenced, so the peer's filter is exactly our mirror. `matcher` and `compact`,
  /// which may be null, outlive the lane.
  ScanLane(PeerId peer, bool strict, WholeMatcher& matcher, CompactScan* compact = nullptr)
      : queue_(peer), filtered_(strict), whole_(matcher), compact_(compact) {}

  [[nodiscard]] PeerId peer() const { return queue_.peer(); }
  [[nodiscard]] bool has_filter() const { return filtered_.has_filter(); }
  [[nodiscard]] const bip37::FilterMirror& mirror() const { return filtered_.mirror(); }
  /// Which filter requests go out under now; zero if none.
  [[nodiscard]] FilterEpoch epoch() const { return filtered_.epoch(); }

  /// Sends a filter, for all requests from now on.
  void load_filter(const bip37::BloomFilter& filter, FilterEpoch epoch, Outbox& out);
  /// Answers to requests made so far no longer count (the chain has changed under them).
  void forget_requests();
  /// Asks for blocks, in order, and closes the batch with a ping. Gives the first one's id. Filtered ones need a
  /// filter.
  RequestId request(const std::vector<chain::BlockRef>& blocks, BlockKind kind, std::uint64_t fence, util::Now now,
                    Outbox& out);

  // What is taken may be moved from, and nothing else is.
  LaneStep on(p2p::MerkleBlock& message, util::Now now);
  /// All that blocks above `next` spend is noted down.
  LaneStep on(const p2p::Block& message, chain::Height next, util::Now now);
  LaneStep on(chain::Transaction& tx, const chain::Txid& txid, util::Now now);
  LaneStep on(const p2p::CFilter& message, util::Now now);
  LaneStep on(const p2p::Pong& message, const KnownTransactions& known, util::Now now);

  /// See FilteredBlocks.
  bool excuses(const chain::Transaction& tx, const chain::Txid& txid) { return filtered_.excuses(tx, txid); }
  /// True if the next answer that is due is a filter of this block.
  [[nodiscard]] bool expects_filter_of(const chain::BlockHash& block) const {
    return queue_.is_next(block, BlockKind::Compact);
  }
  /// The next complete block, in the order of the requests.
  std::optional<ScannedBlock> take();
  /// Set after take(): the peer delivers what our filter does not match.
  [[nodiscard]] bool ignores_filter() const { return filtered_.is_ignored(); }

  /// Requests that are not taken yet.
  [[nodiscard]] std::size_t in_flight() const { return queue_.size(); }
  /// Of those, the ones under the present filter.
  [[nodiscard]] std::size_t in_flight_now() const;
  /// Of those, the ones of a kind.
  [[nodiscard]] std::size_t in_flight(BlockKind kind) const { return queue_.count(kind); }
  [[nodiscard]] const LanePace& pace(BlockKind kind) const { return queue_.pace(kind); }
  /// What a block of this kind costs is to be measured anew.
  void forget_pace(BlockKind kind) { queue_.forget_pace(kind); }
  /// An answer is overdue: others may help, and nothing more should be asked of this peer meanwhile.
  [[nodiscard]] bool is_late(util::Now now) const { return queue_.is_late(now); }
  /// When the peer's silence becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  template <typename Self>
  [[nodiscard]] static auto& method_of(Self& self, BlockKind kind) {
    using Method = std::conditional_t<std::is_const_v<Self>, const ScanMethod, ScanMethod>;
    if (kind == BlockKind::Compact) return static_cast<Method&>(self.compact_);
    return kind == BlockKind::Whole ? static_cast<Method&>(self.whole_) : static_cast<Method&>(self.filtered_);
  }
  [[nodiscard]] ScanMethod& method(BlockKind kind) { return method_of(*this, kind); }
  [[nodiscard]] const ScanMethod& method(BlockKind kind) const { return method_of(*this, kind); }
  /// Offers a message to each method until one takes it.
  template <typename Offer>
  LaneStep offer(Offer offer_to);
  std::optional<DisconnectReason> settle(std::uint64_t number, const KnownTransactions& known);

  RequestQueue queue_;
  FilteredBlocks filtered_;
  WholeBlocks whole_;
  CompactBlocks compact_;
};

}  // namespace spv::sync
