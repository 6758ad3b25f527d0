// RequestQueue: the blocks that one peer was asked for, in order. Requests go out in batches, each closed by a ping;
// answers are taken out strictly in the order of the requests.
//
// A node answers in order and reads nothing new while it serves (protocol.md P1), so the pong of a batch is a fence:
// what has not come by then never comes.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "sync/scan/lane_pace.h"
#include "sync/scan/scanned_block.h"

namespace spv::sync {

/// A block that was asked for and is not taken yet.
struct PendingBlock {
  bool counts = true;  // false: the chain has changed under it
  bool answered = false;
  std::size_t missing = 0;  // matched transactions still to come
  ScannedBlock result;
};

class RequestQueue {
 public:
  explicit RequestQueue(PeerId peer) : peer_(peer) {}

  [[nodiscard]] PeerId peer() const { return peer_; }
  /// Of the front, and of the next one to be added.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return first_ + requests_.size(); }
  [[nodiscard]] bool empty() const { return requests_.empty(); }
  [[nodiscard]] PendingBlock& at(std::uint64_t number) { return requests_[static_cast<std::size_t>(number - first_)]; }

  /// A batch goes out, closed by a ping with this nonce. Gives the first one's id.
  RequestId add(const std::vector<chain::BlockRef>& blocks, BlockKind kind, FilterEpoch epoch, std::uint64_t fence,
                util::Now now);
  /// Answers to all of them no longer count.
  void forget();
  /// The number of a request of this kind that may be answered now.
  [[nodiscard]] std::optional<std::uint64_t> find(const chain::BlockHash& hash, BlockKind kind) const;
  /// True if the next answer that is due is that to such a request.
  [[nodiscard]] bool is_next(const chain::BlockHash& hash, BlockKind kind) const;
  /// The answer to this one came; why the connection must end, if others before it were passed over.
  std::optional<DisconnectReason> on_answer(std::uint64_t number, util::Now now);
  /// A fence came: all up to the number that it gives were answered, or never will be. Nothing: it is not ours.
  std::optional<std::uint64_t> on_fence(std::uint64_t nonce, util::Now now);
  /// Something that belongs to an answer came.
  void on_progress(util::Now now) { last_progress_ = now.monotonic; }
  /// The front, which was answered.
  PendingBlock take();

  /// Bytes of transactions that came and are not taken yet, about.
  void hold(std::size_t bytes) { held_bytes_ += bytes; }
  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] std::size_t count(BlockKind kind) const { return under_way_[place(kind)]; }
  /// The kind of the next block to be taken; there is one.
  [[nodiscard]] BlockKind front_kind() const { return requests_.front().result.request.kind; }
  [[nodiscard]] const LanePace& pace(BlockKind kind) const { return pace_[place(kind)]; }
  void forget_pace(BlockKind kind) { pace_[place(kind)].forget_blocks(); }
  /// An answer is overdue.
  [[nodiscard]] bool is_late(util::Now now) const;
  /// When the last thing came that was due; nothing if nothing is due.
  [[nodiscard]] std::optional<util::TimePoint> waits_since() const;

 private:
  struct Fence {
    std::uint64_t nonce = 0;
    std::uint64_t last = 0;  // number of the last request before it
  };

  static constexpr std::size_t place(BlockKind kind) { return static_cast<std::size_t>(kind); }
  [[nodiscard]] std::uint64_t next_fence() const;

  PeerId peer_;
  std::array<LanePace, kBlockKinds.size()> pace_;  // by kind
  std::deque<PendingBlock> requests_;
  std::uint64_t first_ = 0;       // number of requests_.front()
  std::uint64_t unanswered_ = 0;  // number of the next request to be answered
  std::deque<Fence> fences_;
  std::size_t held_bytes_ = 0;
  std::array<std::size_t, kBlockKinds.size()> under_way_{};  // by kind
  util::TimePoint last_progress_{};
};

}  // namespace spv::sync
