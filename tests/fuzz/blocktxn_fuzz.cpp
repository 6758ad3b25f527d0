// blocktxn: round trip, and what a coinbase claims stays within its bounds.
#include "sync/relay/fee_estimate.h"
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(blocktxn, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("blocktxn", input);
  if (!message) return;
  std::vector<chain::Amount> earned;
  for (const auto& tx : std::get<p2p::BlockTxn>(*message).transactions) {
    for (const chain::Height height : {1, 100, 840'000}) {
      const auto fees = sync::fees_claimed(tx, height, chain::params(chain::Network::Main));
      if (!fees) continue;
      util::ensure(*fees >= 0 && *fees <= sync::kMaxBlockFees, "a block earns too much");
      earned.push_back(*fees);
    }
  }
  const auto estimate = sync::estimate_fees(earned);
  util::ensure(!estimate || estimate->sat_per_kvb > 0, "an estimate without fees");
}
