// FilteredBlocks: scanning by BIP37. The peer matches by the filter that it was sent, proves what it picked by a
// merkleblock, and sends the transactions after it.
//
// What this resists: proofs that do not hold, transactions slipped in or left out, blocks not asked for (they confirm
// nothing). A new filter may be loaded with blocks under way: those were asked for under the old one, and count as
// such.
#pragma once

#include <deque>
#include <unordered_map>

#include "bip37/filter_mirror.h"
#include "sync/scan/methods/scan_method.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class FilteredBlocks final : public ScanMethod {
 public:
  static constexpr util::Duration kStallTimeout = std::chrono::seconds(10);
  /// This many deliveries that our own filter does not match end the connection (security.md, R7).
  static constexpr std::size_t kMaxUnmatched = 100;
  /// Held behind a block that is not complete: more, and the peer is playing for our memory.
  static constexpr std::size_t kMaxHeldBytes = 8'000'000;

  /// `strict`: loose transactions are silenced, so the peer's filter is exactly our mirror.
  explicit FilteredBlocks(bool strict) : strict_(strict) {}

  [[nodiscard]] bool has_filter() const { return !filters_.empty(); }
  /// What the peer's filter holds, as far as its answers have come.
  [[nodiscard]] const bip37::FilterMirror& mirror() const { return filters_.back().mirror; }
  /// Number of the first request under the present filter.
  [[nodiscard]] std::uint64_t filter_since() const { return filters_.empty() ? 0 : filters_.back().first; }
  /// A filter for all requests from now on.
  void load(const bip37::BloomFilter& filter, FilterEpoch epoch, const RequestQueue& queue);
  /// True if a transaction that nothing promised is no fault of the peer: it belongs to a block asked for under an
  /// earlier filter, or our filter matches it.
  bool excuses(const chain::Transaction& tx, const chain::Txid& txid);
  /// The peer delivers what our filter does not match.
  [[nodiscard]] bool is_ignored() const { return unmatched_ >= (strict_ ? 1 : kMaxUnmatched); }

  [[nodiscard]] FilterEpoch epoch() const override { return filters_.empty() ? 0 : filters_.back().epoch; }
  [[nodiscard]] p2p::Message ask(const std::vector<chain::BlockRef>& blocks) const override;
  [[nodiscard]] util::Duration stall_timeout() const override { return kStallTimeout; }
  LaneStep on(p2p::MerkleBlock& message, RequestQueue& queue, util::Now now) override;
  /// A transaction that a proof has promised.
  LaneStep on(chain::Transaction& tx, const chain::Txid& txid, RequestQueue& queue, util::Now now) override;
  using ScanMethod::on;
  std::optional<DisconnectReason> complete(std::uint64_t number, RequestQueue& queue,
                                           const KnownTransactions& known) override;
  void forget() override;
  void on_taken(ScannedBlock& block) override;

 private:
  struct LoadedFilter {
    FilterEpoch epoch = 0;
    bip37::FilterMirror mirror;
    std::uint64_t first = 0;  // number of the first request under it
  };
  struct Awaited {
    std::uint64_t request = 0;
    std::size_t slot = 0;
  };

  void drop_old_filters(std::uint64_t next);
  std::optional<DisconnectReason> fill(std::uint64_t number, p2p::MerkleBlock& message, RequestQueue& queue);
  static std::optional<DisconnectReason> place(PendingBlock& request, std::size_t slot, chain::Transaction&& tx,
                                               RequestQueue& queue);

  bool strict_;
  std::deque<LoadedFilter> filters_;  // the present one last; earlier ones while something is under way under them
  std::unordered_map<chain::Txid, Awaited> awaited_;
  std::size_t unmatched_ = 0;
  std::uint64_t owed_to_earlier_ = 0;  // transactions of blocks that no longer count
};

}  // namespace spv::sync
