#include "sync/scan/scan_lane.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::sync {

void ScanLane::load_filter(const bip37::BloomFilter& filter, FilterEpoch epoch, Outbox& out) {
  filters_.push_back({epoch, bip37::FilterMirror(filter), first_ + requests_.size()});
  drop_old_filters(first_);
  unmatched_ = 0;
  out.send(peer_, p2p::FilterLoad{filter});
}

// An earlier filter is needed until the last block that was asked for under it is taken.
void ScanLane::drop_old_filters(std::uint64_t next) {
  while (filters_.size() > 1 && filters_[1].first <= next) filters_.pop_front();
}

void ScanLane::forget_requests() {
  for (auto& request : requests_) request.counts = false;
  owed_to_earlier_ += awaited_.size();
  awaited_.clear();
}

std::size_t ScanLane::in_flight_now() const {
  if (filters_.empty()) return requests_.size();
  return static_cast<std::size_t>(first_ + requests_.size() - std::max(filters_.back().first, first_));
}

RequestId ScanLane::request(const std::vector<chain::BlockRef>& blocks, BlockKind kind, std::uint64_t fence,
                            util::Now now, Outbox& out) {
  const bool whole = kind == BlockKind::Whole;
  util::ensure((whole || has_filter()) && !blocks.empty(), "a scan needs a filter and something to ask for");
  if (requests_.empty()) last_progress_ = now.monotonic;
  pace_[place(kind)].on_request(requests_.empty(), now);
  const RequestId first{peer_, whole ? 0 : epoch(), first_ + requests_.size(), kind};
  p2p::GetData message;
  message.items.reserve(blocks.size());
  const auto type = whole ? p2p::InventoryType::WitnessBlock : p2p::InventoryType::FilteredBlock;
  for (const auto& block : blocks) {
    message.items.push_back({type, util::retag<util::Hash256>(block.hash)});
    Request& request = requests_.emplace_back();
    request.result.request = {peer_, first.epoch, first_ + requests_.size() - 1, kind};
    request.result.block = block;
  }
  under_way_[place(kind)] += blocks.size();
  fences_.push_back({fence, first_ + requests_.size() - 1});
  out.send(peer_, std::move(message));
  out.send(peer_, p2p::Ping{fence});
  return first;
}

std::optional<std::uint64_t> ScanLane::find_request(const chain::BlockHash& hash, BlockKind kind) const {
  // Only what comes before the next pong: a repeated answer must not pass for that to a later request, made under
  // another filter.
  for (std::uint64_t number = unanswered_; number < next_fence(); ++number) {
    const ScannedBlock& result = requests_[static_cast<std::size_t>(number - first_)].result;
    if (result.request.kind == kind && result.block.hash == hash) return number;
  }
  return std::nullopt;
}

std::optional<DisconnectReason> ScanLane::on_answer(std::uint64_t number, util::Now now) {
  const std::size_t kind = place(at(number).result.request.kind);
  last_progress_ = now.monotonic;
  pace_[kind].on_block(now);
  pace_[1 - kind].on_pause();
  ++received_[kind];
  if (const auto fault = skip_to(number)) return fault;
  unanswered_ = number + 1;
  at(number).answered = true;
  return std::nullopt;
}

std::optional<DisconnectReason> ScanLane::on(const p2p::MerkleBlock& message, util::Now now) {
  const auto number = find_request(message.header.hash(), BlockKind::Filtered);
  if (!number) return std::nullopt;  // not asked for: it confirms nothing
  if (const auto fault = on_answer(*number, now)) return fault;
  return fill(*number, message);
}

LaneStep ScanLane::on(const p2p::Block& message, BlockMatcher& matcher, chain::Height next, util::Now now) {
  const auto number = find_request(message.header.hash(), BlockKind::Whole);
  if (!number) return {};
  if (const auto fault = on_answer(*number, now)) return {.fault = fault, .taken = true};
  return {.fault = fill(at(*number), message, matcher, next), .taken = true};
}

std::optional<DisconnectReason> ScanLane::fill(Request& request, const p2p::Block& message, BlockMatcher& matcher,
                                               chain::Height next) {
  if (!request.counts) return std::nullopt;
  ScannedBlock& result = request.result;
  // The header's hash is that of a block of our chain, so its merkle root is too.
  auto matches = matcher.match(message.header, message.body, result.block.height > next);
  if (!matches) return reason_of(matches.error());
  result.time = message.header.time;
  result.transactions = matches->transactions;
  result.matched = std::move(matches->matched);
  result.spends = std::move(matches->spends);
  result.bytes = matches->bytes + result.spends.size() * sizeof(WatchSet::Fingerprint);
  held_bytes_ += result.bytes;
  if (!result.matched.empty()) result.proof = {message.header, std::move(matches->tree)};
  return std::nullopt;
}

// The number of the first request behind the next pong.
std::uint64_t ScanLane::next_fence() const {
  return fences_.empty() ? unanswered_ : std::max(fences_.front().last + 1, unanswered_);
}

// The node answers in order: what lies before an answer was passed over in silence.
std::optional<DisconnectReason> ScanLane::skip_to(std::uint64_t number) {
  for (; unanswered_ < number; ++unanswered_) {
    if (at(unanswered_).counts) return DisconnectReason::BlocksNotServed;
  }
  return std::nullopt;
}

std::optional<DisconnectReason> ScanLane::fill(std::uint64_t number, const p2p::MerkleBlock& message) {
  Request& request = at(number);
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
  result.proof = message;
  result.matched.reserve(proven->matches.size());
  for (const auto& match : proven->matches) {
    awaited_.insert_or_assign(match.txid, Awaited{number, result.matched.size()});
    result.matched.push_back({.index = match.index, .txid = match.txid, .tx = {}});
  }
  request.missing = result.matched.size();
  return std::nullopt;
}

LaneStep ScanLane::on(const chain::Transaction& tx, const chain::Txid& txid, util::Now now) {
  const auto found = awaited_.find(txid);
  if (found == awaited_.end()) return {};
  last_progress_ = now.monotonic;
  const Awaited awaited = found->second;
  awaited_.erase(found);
  return {.fault = place(at(awaited.request), awaited.slot, tx), .taken = true};
}

std::optional<DisconnectReason> ScanLane::place(Request& request, std::size_t slot, const chain::Transaction& tx) {
  const auto valid = chain::check_structure(tx);
  // A real block can hold a transaction of 64 bytes; it is left empty here and so never reaches a wallet.
  if (!valid && valid.error() != chain::TxError::AmbiguousSize) return DisconnectReason::BadTransaction;
  if (valid) {
    request.result.matched[slot].tx = tx;
    // With a witness that nothing has proven, where the peer has sent one: it takes memory all the same.
    const std::size_t bytes = tx.serialize(chain::Witness::Include).size();
    request.result.bytes += bytes;
    held_bytes_ += bytes;
  }
  --request.missing;
  // A node sends a block's transactions before the next block: only a hostile one lets blocks pile up behind a gap.
  const Request& front = requests_.front();
  const bool gap = &front != &request && front.counts && front.missing > 0;
  if (gap && held_bytes_ > kMaxHeldBytes) return DisconnectReason::MissingTransaction;
  return std::nullopt;
}

std::optional<DisconnectReason> ScanLane::on(const p2p::Pong& message, const KnownTransactions& known, util::Now now) {
  const auto fence =
      std::find_if(fences_.begin(), fences_.end(), [&](const Fence& f) { return f.nonce == message.nonce; });
  if (fence == fences_.end()) return std::nullopt;
  last_progress_ = now.monotonic;
  const std::uint64_t last = fence->last;
  fences_.erase(fences_.begin(), fence + 1);
  if (last < first_) return std::nullopt;  // all of it is taken already
  for (std::uint64_t number = first_; number <= last; ++number) {
    if (const auto fault = settle(number, known)) return fault;
  }
  unanswered_ = std::max(unanswered_, last + 1);
  return std::nullopt;
}

// At its fence a block is complete, or the peer is at fault. A transaction that we hold already may be left out.
std::optional<DisconnectReason> ScanLane::settle(std::uint64_t number, const KnownTransactions& known) {
  Request& request = at(number);
  if (!request.counts) {
    request.answered = true;
    return std::nullopt;
  }
  if (!request.answered) return DisconnectReason::BlocksNotServed;
  for (std::size_t slot = 0; request.missing > 0 && slot < request.result.matched.size(); ++slot) {
    const auto awaited = awaited_.find(request.result.matched[slot].txid);
    if (awaited == awaited_.end() || awaited->second.request != number) continue;
    const auto* tx = known(awaited->first);
    if (tx == nullptr) return DisconnectReason::MissingTransaction;
    awaited_.erase(awaited);
    if (const auto fault = place(request, slot, *tx)) return fault;
  }
  if (request.missing > 0) return DisconnectReason::MissingTransaction;
  return std::nullopt;
}

std::optional<ScannedBlock> ScanLane::take() {
  while (!requests_.empty() && requests_.front().answered) {
    Request& front = requests_.front();
    const bool wanted = front.counts;
    if (wanted && front.missing > 0) return std::nullopt;
    ScannedBlock block = std::move(front.result);
    held_bytes_ -= block.bytes;
    requests_.pop_front();
    --under_way_[place(block.request.kind)];
    const std::uint64_t number = first_++;
    if (!wanted) continue;
    if (block.request.kind == BlockKind::Whole) return block;
    bip37::FilterMirror& mirror = mirror_of(number);
    std::erase_if(block.matched, [](const ProvenTransaction& proven) { return proven.tx.inputs.empty(); });
    for (const auto& proven : block.matched) {
      if (!mirror.replay(proven.tx, proven.txid)) ++unmatched_;
    }
    return block;
  }
  return std::nullopt;
}

bip37::FilterMirror& ScanLane::mirror_of(std::uint64_t number) {
  drop_old_filters(number);
  util::ensure(filters_.front().first <= number, "a request has the filter it was made under");
  return filters_.front().mirror;
}

bool ScanLane::excuses(const chain::Transaction& tx, const chain::Txid& txid) {
  if (owed_to_earlier_ > 0) {
    --owed_to_earlier_;
    return true;
  }
  if (filters_.empty()) return false;
  bip37::FilterMirror copy = mirror();  // only what a proof places in a block changes the peer's filter
  return copy.replay(tx, txid);
}

bool ScanLane::ignores_filter() const { return unmatched_ >= (strict_ ? 1 : kMaxUnmatched); }

bool ScanLane::is_late(util::Now now) const {
  if (requests_.empty()) return false;
  return now.monotonic > last_progress_ + pace(requests_.front().result.request.kind).patience();
}

std::optional<util::TimePoint> ScanLane::deadline() const {
  if (requests_.empty() && fences_.empty()) return std::nullopt;
  const bool whole = !requests_.empty() && requests_.front().result.request.kind == BlockKind::Whole;
  return last_progress_ + (whole ? kWholeStallTimeout : kStallTimeout);
}

}  // namespace spv::sync
