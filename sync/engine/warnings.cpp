#include "sync/engine/warnings.h"

#include <algorithm>

#include "wallet/birthday.h"

namespace spv::sync {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string stale_text(chain::Height height, std::int64_t seconds) {
  constexpr std::int64_t kHour = 3'600;
  constexpr std::int64_t kDay = 24 * kHour;
  const std::string age = seconds >= 2 * kDay ? number(seconds / kDay) + " days" : number(seconds / kHour) + " hours";
  return "the best block (" + number(height) + ") is " + age +
         " old: the peers may be behind, on another chain, or cut off from the network";
}

std::string check_text(const CheckedBlocks& blocks) {
  return "--cross-check full needs at least two peers: " + std::to_string(blocks.filtered - blocks.checked) + " of " +
         std::to_string(blocks.filtered) + " blocks were answered by one peer only";
}

}  // namespace

std::string doubt_text(const HeaderSync::Claim& claim) {
  return "claims block " + number(claim.claimed) + ", but serves headers only up to block " + number(claim.shown) +
         " (another chain, or still syncing)";
}

std::vector<std::string> describe_warnings(const PeerPool& pool, const chain::HeaderChain& chain,
                                           const CheckedBlocks& blocks, chain::Height birthday, util::UnixTime now) {
  std::vector<std::string> out;
  for (const auto& peer : pool.summaries()) {
    if (!peer.doubt.empty()) out.push_back("peer " + to_string(peer.address) + " " + peer.doubt);
  }
  for (const auto& peer : pool.unused()) {
    out.push_back("peer " + to_string(peer.address) + " is not connected: " + peer.reason);
  }
  const auto tip = chain.at(chain.height());
  const std::int64_t limit = chain.params().stale_tip_seconds;
  const std::int64_t age = tip ? now - tip->time : 0;
  if (limit > 0 && age > limit) out.push_back(stale_text(chain.height(), age));
  if (wallet::is_above_tip(birthday, chain.height())) {
    out.push_back(wallet::above_tip_text(birthday, chain.height()));
  }
  if (blocks.mode == CrossCheckMode::Full && blocks.checked < blocks.filtered) out.push_back(check_text(blocks));
  return out;
}

}  // namespace spv::sync
