#include "sync/relay/fee_survey.h"

#include <algorithm>

#include "sync/relay/fee_estimate.h"

namespace spv::sync {

void FeeSurvey::start(util::Now now) {
  if (is_active()) return;
  begun_ = now.monotonic;
  asked_at_.reset();
  questions_.clear();
  answers_.clear();
}

void FeeSurvey::advance(const Company& company, util::Now now, util::Rng& rng, Outbox& out) {
  if (!is_active()) return;
  const bool has_all = company.ready.size() >= kSources || !company.more_to_come;
  if (!asked_at_ && company.caught_up && !company.ready.empty() && has_all) ask(company, now, rng, out);
  if (is_done(company, now)) end(out);
}

void FeeSurvey::ask(const Company& company, util::Now now, util::Rng& rng, Outbox& out) {
  asked_at_ = now.monotonic;
  auto left = company.ready;
  for (std::size_t i = 0; i < kSources && !left.empty(); ++i) {
    const auto chosen = left.begin() + static_cast<std::ptrdiff_t>(rng.below(left.size()));
    const PeerId peer = *chosen;
    left.erase(chosen);
    const chain::Height tip = chain_.height();
    for (chain::Height height = tip; height > std::max(tip - kBlocks, 0); --height) {
      const auto hash = chain_.hash_at(height);
      if (!hash) break;
      questions_.emplace(std::pair(peer, *hash), height);
      out.send(peer, p2p::GetBlockTxn{*hash, {0}});
    }
  }
}

bool FeeSurvey::is_done(const Company& company, util::Now now) const {
  if (now.monotonic >= *begun_ + kLongest) return true;
  if (!asked_at_) return false;
  if (now.monotonic >= *asked_at_ + kAnswerTime) return true;
  return questions_.empty() && floor_.heard() >= std::min(FeeFloor::kEnough, company.ready.size());
}

bool FeeSurvey::on(PeerId peer, const p2p::BlockTxn& message) {
  const auto question = questions_.find({peer, message.block});
  if (question == questions_.end()) return false;
  const chain::Height height = question->second;
  questions_.erase(question);
  if (message.transactions.size() != 1) return false;
  const auto& coinbase = message.transactions.front();
  answers_[height].push_back({coinbase.txid(), fees_claimed(coinbase, height, chain_.params())});
  return true;
}

void FeeSurvey::on_peer_lost(PeerId peer) {
  floor_.on_peer_lost(peer);
  std::erase_if(questions_, [peer](const auto& item) { return item.first.first == peer; });
}

void FeeSurvey::end(Outbox& out) {
  if (!is_active()) return;
  begun_.reset();
  questions_.clear();
  out.notify(result());
}

FeesKnown FeeSurvey::result() const {
  FeesKnown known;
  known.floor = floor_.median();
  known.peers_heard = floor_.heard();
  std::vector<chain::Amount> earned;
  std::size_t by_two = 0;
  for (const auto& [height, answers] : answers_) {
    const Answer& first = answers.front();
    const bool alike = std::ranges::all_of(answers, [&](const Answer& a) { return a.coinbase == first.coinbase; });
    if (!alike || !first.fees) continue;
    earned.push_back(*first.fees);
    if (answers.size() > 1) ++by_two;
  }
  if (const auto estimate = estimate_fees(std::move(earned))) {
    known.estimate = estimate->sat_per_kvb;
    known.blocks_used = estimate->blocks;
    known.blocks_by_two = by_two;
  }
  return known;
}

std::optional<util::TimePoint> FeeSurvey::deadline() const {
  if (!is_active()) return std::nullopt;
  const auto latest = *begun_ + kLongest;
  return asked_at_ ? std::min(latest, *asked_at_ + kAnswerTime) : latest;
}

}  // namespace spv::sync
