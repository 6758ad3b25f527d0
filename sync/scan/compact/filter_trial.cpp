#include "sync/scan/compact/filter_trial.h"

#include "bip158/gcs.h"
#include "chain/block_walk.h"
#include "util/codec.h"

namespace spv::sync {

void FilterTrial::begin(const FilterDifference& difference, const chain::BlockRef& block) {
  difference_ = difference;
  block_ = block;
  theirs = ours = body = {};
  news_ = false;
  their_filter_.clear();
  our_filter_.clear();
  scripts_.clear();
}

void FilterTrial::on_asked(PeerId peer, Wanted& wanted, util::Now now) {
  wanted.asked = peer;
  wanted.due = now.monotonic + kStallTimeout;
  answers_due_.emplace(peer, block_.hash);
}

void FilterTrial::lost(PeerId peer) {
  std::erase_if(answers_due_, [peer](const auto& due) { return due.first == peer; });
  if (!is_on()) return;
  if (difference_->peer == peer) return end();
  for (Wanted* wanted : {&ours, &body}) {
    if (wanted->asked == peer && !wanted->came) wanted->asked = 0;
  }
}

bool FilterTrial::on_filter(PeerId peer, const p2p::CFilter& message, const FilterHeaders& headers) {
  if (!is_on() || message.block != block_.hash) return false;
  const auto hash = bip158::filter_hash(message.filter);
  if (theirs.asked == peer && !theirs.came && hash == difference_->filter_hash) {
    their_filter_ = message.filter;
    theirs.came = true;
    return true;
  }
  if (ours.asked == peer && !ours.came && headers.is_ours(block_.height, hash)) {
    our_filter_ = message.filter;
    ours.came = true;
    return true;
  }
  return false;
}

void FilterTrial::on_block(util::ByteView block, bool news) {
  if (!is_on() || body.came) return;
  body.came = true;
  news_ = news;
  chain::walk_block(
      block,
      [this](util::ByteView outpoint) {
        util::Reader in(outpoint);
        const auto txid = in.hash<chain::Txid>();
        const auto script = known_({.txid = txid, .index = in.integer<std::uint32_t>()});
        if (script) scripts_.add(*script);
      },
      [this](util::ByteView script) {
        if (bip158::holds_output(script)) scripts_.add(script);
      },
      [](const chain::TxView&) {});
}

bool FilterTrial::waits_for(PeerId peer, const chain::BlockHash& block) const {
  if (!is_on() || block != block_.hash) return false;
  return (theirs.asked == peer && !theirs.came) || (ours.asked == peer && !ours.came);
}

std::optional<util::TimePoint> FilterTrial::deadline() const {
  std::optional<util::TimePoint> at;
  for (const Wanted* wanted : {&theirs, &ours}) {
    if (is_on() && wanted->asked != 0 && !wanted->came && (!at || wanted->due < *at)) at = wanted->due;
  }
  return at;
}

bool FilterTrial::is_false(const util::Bytes& filter) const {
  bip158::Scratch scratch;
  const auto found = bip158::match_all(filter, block_.hash, scripts_, scratch);
  return !found || found->size() < scripts_.size();
}

std::optional<FilterTrial::Verdict> FilterTrial::verdict(bool defended) const {
  if (!is_on() || !theirs.came || !body.came || (defended && !ours.came)) return std::nullopt;
  Verdict out{.theirs_false = is_false(their_filter_)};
  // Of two that may be true one that nobody stands for any more gives way.
  out.ours_false = ours.came ? is_false(our_filter_) : !out.theirs_false;
  return out;
}

}  // namespace spv::sync
