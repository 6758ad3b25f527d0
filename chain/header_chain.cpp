#include "chain/header_chain.h"

#include <algorithm>

#include "chain/header_hashes.h"
#include "util/ensure.h"

namespace spv::chain {

HeaderChain::HeaderChain(const NetworkParams& params, HeaderStore& store, const BranchLimits& limits)
    : params_(params),
      store_(store),
      branches_(limits),
      targets_(params),
      tip_context_(context_of({.branch = std::nullopt, .height = store.tip_height()})),
      settled_(store.tip_height()) {
  util::ensure(params.no_retargeting || starts_period(store.base_height()),
               "a header chain begins with the first block of a period");
  leave_untrue_chain();
}

// A newer program knows more checkpoints than the one that stored the chain.
void HeaderChain::leave_untrue_chain() {
  const auto is_true = [this](const Checkpoint& checkpoint) {
    const bool is_stored = checkpoint.height > base_height() && checkpoint.height <= height();
    return is_stored && store_.hash_at(checkpoint.height) == checkpoint.hash;
  };
  const auto newest = std::find_if(params_.checkpoints.rbegin(), params_.checkpoints.rend(), is_true);
  const Height kept = newest == params_.checkpoints.rend() ? base_height() : newest->height;
  if (kept == last_checkpoint()) return;
  Uint256 left = work();
  for (Height at = kept + 1; at <= height(); ++at) left = left - targets_.get(store_.at(at).bits).work;
  store_.replace_above(kept, {}, store_.hash_at(kept), left);
  tip_context_ = context_of({.branch = std::nullopt, .height = kept});
  settled_ = kept;
}

AcceptResult HeaderChain::accept(std::span<const BlockHeader> headers, util::UnixTime now, Sender sender) {
  AcceptResult result;
  ChainUpdate& update = result.update;
  update.old_tip = update.new_tip = update.last = tip();
  if (headers.empty()) {
    result.error = HeaderError::Empty;
    return result;
  }
  const auto probe = probes_.find(sender.id);
  if (probe != probes_.end() && probe->second.next_after() == headers.front().previous) {
    result.error = accept_probed(headers, now, sender, update);
    update.new_tip = tip();
    return result;
  }
  auto place = locate(headers.front().previous);
  if (!place) {
    result.error = HeaderError::Unconnected;
    return result;
  }
  // What we have already costs a comparison, not a hash.
  while (!headers.empty()) {
    const auto child = known_child(*place, headers.front());
    if (!child) break;
    place = child;
    headers = headers.subspan(1);
  }
  update.last = {.height = place->height, .hash = hash_of(*place)};
  if (headers.empty()) {
    notice(*place, sender, update);
    update.new_tip = tip();
    return result;
  }
  const bool extends_tip = !place->branch && place->height == height();
  result.error =
      extends_tip ? extend_best(headers, now, sender, update) : extend_branch(*place, headers, now, sender, update);
  update.new_tip = tip();
  return result;
}

BlockRef HeaderChain::tip() const { return {.height = height(), .hash = store_.hash_at(height())}; }

bool HeaderChain::has_minimum_work() const {
  const bool passed_all = params_.checkpoints.empty() || height() >= params_.checkpoints.back().height;
  return passed_all && work() >= params_.minimum_chain_work;
}

std::optional<BlockHeader> HeaderChain::at(Height height) const {
  if (height < base_height() || height > this->height()) return std::nullopt;
  return store_.at(height);
}

std::optional<BlockHash> HeaderChain::hash_at(Height height) const {
  if (height < base_height() || height > this->height()) return std::nullopt;
  return store_.hash_at(height);
}

std::optional<Height> HeaderChain::find(const BlockHash& hash) const { return store_.find(hash); }

bool HeaderChain::knows(const BlockHash& hash) const { return locate(hash).has_value(); }

std::vector<BlockHash> HeaderChain::locator() const {
  constexpr std::size_t kRecent = 10;
  std::vector<BlockHash> hashes;
  Height step = 1;
  Height at = height();
  while (at > base_height()) {
    hashes.push_back(store_.hash_at(at));
    if (hashes.size() >= kRecent) step *= 2;
    at -= step;
  }
  hashes.push_back(store_.hash_at(base_height()));
  return hashes;
}

std::optional<HeaderChain::Place> HeaderChain::locate(const BlockHash& hash) const {
  if (const auto on_branch = branches_.find(hash)) {
    return Place{.branch = on_branch->branch, .height = on_branch->height};
  }
  // A peer that knows none of our blocks answers from the start.
  if (hash == store_.hash_at(base_height())) return Place{.branch = std::nullopt, .height = base_height()};
  const auto height = store_.find(hash);
  if (!height) return std::nullopt;
  return Place{.branch = std::nullopt, .height = *height};
}

std::optional<HeaderChain::Place> HeaderChain::known_child(const Place& parent, const BlockHeader& header) const {
  const Height child = parent.height + 1;
  if (!parent.branch && child <= height() && store_.at(child) == header) {
    return Place{.branch = std::nullopt, .height = child};
  }
  const auto on_branch = branches_.find(child, header);
  if (!on_branch) return std::nullopt;
  return Place{.branch = on_branch->branch, .height = child};
}

BlockHash HeaderChain::hash_of(const Place& place) const {
  return place.branch ? branches_.all()[*place.branch].hash_at(place.height) : store_.hash_at(place.height);
}

HeaderContext HeaderChain::context_of(const Place& place) const {
  return context_at(params_, place.height, base_height(), [&](Height at) {
    const Branch* branch = place.branch ? &branches_.all()[*place.branch] : nullptr;
    return branch != nullptr && branch->has(at) ? branch->at(at) : store_.at(at);
  });
}

Height HeaderChain::checkpoint_below(Height tip) const {
  const auto above =
      std::upper_bound(params_.checkpoints.begin(), params_.checkpoints.end(), tip,
                       [](Height height, const Checkpoint& checkpoint) { return height < checkpoint.height; });
  return above == params_.checkpoints.begin() ? base_height() : std::max(base_height(), std::prev(above)->height);
}

Height HeaderChain::proven_below(Height tip) const {
  const bool above_all = params_.checkpoints.empty() || tip >= params_.checkpoints.back().height;
  return above_all ? tip : checkpoint_below(tip);
}

std::optional<HeaderError> HeaderChain::check(const HeaderContext& context, const BlockHeader& header,
                                              const BlockHash& hash, util::UnixTime now) {
  if (!meets_target(hash, targets_.get(header.bits).target)) return HeaderError::BadProofOfWork;
  if (const auto error = context.check(header, now)) return error;
  const auto checkpoint =
      std::lower_bound(params_.checkpoints.begin(), params_.checkpoints.end(), context.height() + 1,
                       [](const Checkpoint& entry, Height height) { return entry.height < height; });
  const bool conflicts =
      checkpoint != params_.checkpoints.end() && checkpoint->height == context.height() + 1 && checkpoint->hash != hash;
  if (conflicts) return HeaderError::CheckpointMismatch;
  return std::nullopt;
}

HeaderChain::Run HeaderChain::validate(HeaderContext& context, const BlockHash& parent,
                                       std::span<const BlockHeader> headers, util::UnixTime now) {
  Run run{.count = 0, .tip_hash = parent, .work = {}, .error = std::nullopt};
  const auto hashes = hashes_of(headers);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const BlockHeader& header = headers[i];
    const BlockHash& hash = hashes[i];
    if (header.previous != run.tip_hash) {
      run.error = HeaderError::NotContinuous;
      break;
    }
    run.error = check(context, header, hash, now);
    if (run.error) break;
    context.advance(header);
    run.tip_hash = hash;
    run.work = run.work + targets_.get(header.bits).work;
    ++run.count;
  }
  return run;
}

}  // namespace spv::chain
