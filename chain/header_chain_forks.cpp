// How the best chain grows and when it is left for another: the part of HeaderChain that weighs branches.
#include <algorithm>

#include "chain/header_chain.h"

namespace spv::chain {

std::optional<HeaderError> HeaderChain::extend_best(std::span<const BlockHeader> headers, util::UnixTime now,
                                                    Sender sender, ChainUpdate& update) {
  HeaderContext context = tip_context_;
  const Run run = validate(context, update.old_tip.hash, headers, now);
  if (run.count == 0) return run.error;
  const Height reached = height() + static_cast<Height>(run.count);
  if (proven_below(reached) != reached) {
    const Place place{.branch = std::nullopt, .height = height()};
    return keep(place, headers.first(run.count), run, context, sender, update);
  }
  store_.replace_above(height(), headers.first(run.count), run.tip_hash, work() + run.work);
  tip_context_ = context;
  update.added = run.count;
  update.fork_height = update.old_tip.height;
  update.last = tip();
  note_shown(sender.id, height());
  dropped_.erase(sender.id);
  branches_.forget(height(), last_checkpoint());
  return run.error;
}

std::optional<HeaderError> HeaderChain::extend_branch(const Place& parent, std::span<const BlockHeader> headers,
                                                      util::UnixTime now, Sender sender, ChainUpdate& update) {
  const Height fork = parent.branch ? branches_.all()[*parent.branch].fork : parent.height;
  if (fork < last_checkpoint()) return HeaderError::BelowCheckpoint;
  HeaderContext context = context_of(parent);
  const Run run = validate(context, update.last.hash, headers, now);
  if (run.count == 0) return run.error;
  return keep(parent, headers.first(run.count), run, context, sender, update);
}

std::optional<HeaderError> HeaderChain::keep(const Place& parent, std::span<const BlockHeader> headers, const Run& run,
                                             const HeaderContext& context, Sender sender, ChainUpdate& update) {
  const std::size_t index = grow_branch(parent, headers, run, sender.id);
  promote(index, context, sender.is_sole, update);
  update.added = run.count;
  update.last = {.height = parent.height + static_cast<Height>(run.count), .hash = run.tip_hash};
  if (const auto error = limit(sender.id, run.tip_hash, context)) return error;
  if (const auto probe = probes_.find(sender.id); probe != probes_.end() && probe->second.tip() == update.last) {
    update.ask_after = run.tip_hash;
  }
  return run.error;
}

void HeaderChain::promote(std::size_t index, const HeaderContext& context, bool is_sole, ChainUpdate& update) {
  const Height proven = proven_below(branches_.all()[index].tip_height());
  if (proven <= branches_.all()[index].fork) return;
  std::optional<Branch> rest = branches_.cut(index, proven);
  Branch& branch = branches_.at(index);
  // What contains a checkpoint that the best chain lacks is the true chain, whatever the work of the other.
  const bool passes_checkpoint = checkpoint_below(proven) > last_checkpoint();
  const auto tip_work = work_with(branch.fork, branch.headers, passes_checkpoint);
  if (!tip_work) return;
  if (!passes_checkpoint && !is_sole && !is_agreed(branch)) {
    branch.awaits_agreement = true;
    update.held = {.fork_height = branch.fork, .tip = {branch.tip_height(), branch.tip_hash}};
    return;
  }
  dropped_.erase(branch.owner);
  reorganise(index, *tip_work, update);
  tip_context_ = rest ? context_of({.branch = std::nullopt, .height = height()}) : context;
  if (rest) branches_.add(std::move(*rest));
}

void HeaderChain::notice(const Place& place, Sender sender, ChainUpdate& update) {
  if (!place.branch) return note_shown(sender.id, place.height);
  Branch& branch = branches_.at(*place.branch);
  Height& shown = branch.shown.try_emplace(sender.id, place.height).first->second;
  shown = std::max(shown, place.height);
  if (!branch.awaits_agreement) return;
  const HeaderContext context = context_of({.branch = place.branch, .height = branch.tip_height()});
  promote(*place.branch, context, sender.is_sole, update);
}

std::size_t HeaderChain::grow_branch(const Place& parent, std::span<const BlockHeader> headers, const Run& run,
                                     SourceId source) {
  Branch branch;
  branch.fork = parent.height;
  if (parent.branch && parent.height == branches_.all()[*parent.branch].tip_height()) {
    branch = branches_.take(*parent.branch);
  } else if (parent.branch) {
    const Branch& old = branches_.all()[*parent.branch];
    branch.fork = old.fork;
    branch.headers.assign(old.headers.begin(), old.headers.begin() + (parent.height - old.fork));
    for (const auto& [other, height] : old.shown) branch.shown[other] = std::min(height, parent.height);
  }
  branch.headers.insert(branch.headers.end(), headers.begin(), headers.end());
  branch.tip_hash = run.tip_hash;
  branch.touched = height();
  branch.owner = source;
  branch.awaits_agreement = false;
  branch.shown[source] = branch.tip_height();
  return branches_.add(std::move(branch));
}

Uint256 HeaderChain::work_of(std::span<const BlockHeader> headers) {
  Uint256 sum;
  for (const auto& header : headers) sum = sum + targets_.get(header.bits).work;
  return sum;
}

std::optional<Uint256> HeaderChain::work_with(Height fork, std::span<const BlockHeader> headers, bool even_if_lighter) {
  const Uint256 ours = work_of(headers);
  // Summed from the fork up, so that a short branch from far below costs no more than its own length.
  Uint256 best;
  for (Height at = fork + 1; at <= height(); ++at) {
    best = best + targets_.get(store_.at(at).bits).work;
    if (best >= ours && !even_if_lighter) return std::nullopt;
  }
  return work() - best + ours;
}

bool HeaderChain::is_lighter(const Branch& a, const Branch& b) {
  if (a.fork > b.fork) return !is_lighter(b, a);
  const Uint256 work_a = work_of(a.headers);
  // What the best chain has between the two forks counts for the higher one.
  Uint256 work_b = work_of(b.headers);
  for (Height at = a.fork + 1; at <= b.fork && work_b <= work_a; ++at) {
    work_b = work_b + targets_.get(store_.at(at).bits).work;
  }
  return work_a < work_b;
}

bool HeaderChain::is_agreed(const Branch& branch) {
  if (settled_ - branch.fork <= branches_.limits().deep) return true;
  return work_with(branch.fork, branch.up_to(second_highest(branch.shown)), false).has_value();
}

void HeaderChain::reorganise(std::size_t index, const Uint256& tip_work, ChainUpdate& update) {
  const Branch winner = branches_.take(index);
  Branch loser{.fork = winner.fork,
               .headers = {},
               .tip_hash = store_.hash_at(height()),
               .touched = winner.tip_height(),
               .owner = kOurselves,
               .shown = shown_};
  for (Height at = winner.fork + 1; at <= height(); ++at) loser.headers.push_back(store_.at(at));
  store_.replace_above(winner.fork, winner.headers, winner.tip_hash, tip_work);
  branches_.rebase(winner.fork, loser.headers, winner.headers);
  if (!loser.headers.empty()) branches_.add(std::move(loser));
  branches_.forget(height(), last_checkpoint());
  drop_lightest(kOurselves, {});
  std::erase_if(probes_, [&](const auto& entry) { return entry.second.fork_height() > winner.fork; });
  settled_ = std::min(settled_, winner.fork);
  for (auto& [source, shown] : shown_) shown = std::min(shown, winner.fork);
  for (const auto& [source, shown] : winner.shown) note_shown(source, shown);
  update.fork_height = winner.fork;
}

void HeaderChain::note_shown(SourceId source, Height height) {
  Height& shown = shown_.try_emplace(source, height).first->second;
  shown = std::max(shown, height);
  settled_ = std::max(settled_, second_highest(shown_));
}

// --- what a source may hold -----------------------------------------------------------------------------------------

void HeaderChain::forget(SourceId source) {
  branches_.forget(source);
  probes_.erase(source);
  dropped_.erase(source);
}

std::size_t HeaderChain::drop_lightest(SourceId owner, const BlockHash& current_tip) {
  return branches_.enforce_limits(owner, current_tip,
                                  [this](const Branch& a, const Branch& b) { return is_lighter(a, b); });
}

std::optional<HeaderError> HeaderChain::limit(SourceId source, const BlockHash& current_tip,
                                              const HeaderContext& context) {
  dropped_[source] += drop_lightest(source, current_tip);
  if (dropped_[source] > branches_.limits().dropped) return HeaderError::TooLittleWork;
  const auto current = branches_.find(current_tip);
  if (!current) return std::nullopt;
  const Branch& branch = branches_.all()[current->branch];
  const bool is_long = branch.headers.size() > branches_.limits().headers && !branch.awaits_agreement;
  // One that waits for a checkpoint is as long as the way there and no longer.
  if (is_long && proven_below(branch.tip_height()) == branch.tip_height()) start_probe(current->branch, context);
  return std::nullopt;
}

void HeaderChain::start_probe(std::size_t index, const HeaderContext& context) {
  const Branch branch = branches_.take(index);
  Uint256 fork_work = work();
  for (Height at = branch.fork + 1; at <= height(); ++at) fork_work = fork_work - targets_.get(store_.at(at).bits).work;
  const BlockRef fork{.height = branch.fork, .hash = store_.hash_at(branch.fork)};
  const BlockRef tip{.height = branch.tip_height(), .hash = branch.tip_hash};
  probes_.insert_or_assign(branch.owner, BranchProbe(fork, fork_work, tip, work_of(branch.headers), context));
}

std::optional<HeaderError> HeaderChain::accept_probed(std::span<const BlockHeader> headers, util::UnixTime now,
                                                      Sender sender, ChainUpdate& update) {
  BranchProbe& probe = probes_.at(sender.id);
  std::optional<HeaderError> error;
  if (probe.is_fetching()) {
    if (!probe.fetch(headers)) {  // it follows another branch by now
      probes_.erase(sender.id);
      return HeaderError::Unconnected;
    }
  } else {
    HeaderContext context = probe.context();
    const Run run = validate(context, probe.tip().hash, headers, now);
    error = run.error;
    const BlockRef tip{.height = probe.tip().height + static_cast<Height>(run.count), .hash = run.tip_hash};
    if (run.count > 0 && !probe.extend(tip, run.work, context)) return HeaderError::TooLittleWork;
    if (probe.work() > work()) probe.start_fetching();
  }
  update.last = probe.tip();
  update.ask_after = probe.next_after();
  finish_probe(sender, update);
  return error;
}

void HeaderChain::finish_probe(Sender sender, ChainUpdate& update) {
  BranchProbe& probe = probes_.at(sender.id);
  auto headers = probe.take_headers();
  if (!headers) return;
  Branch branch{.fork = probe.fork_height(),
                .headers = std::move(*headers),
                .tip_hash = probe.tip().hash,
                .touched = height(),
                .owner = sender.id};
  branch.shown[sender.id] = branch.tip_height();
  const HeaderContext context = probe.context();
  probes_.erase(sender.id);
  update.added = branch.headers.size();
  update.ask_after.reset();
  promote(branches_.add(std::move(branch)), context, sender.is_sole, update);
  // The best chain may have grown meanwhile.
  limit(sender.id, update.last.hash, context);
  if (is_probing(sender.id)) update.ask_after = probes_.at(sender.id).next_after();
}

}  // namespace spv::chain
