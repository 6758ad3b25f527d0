#include "client/wallet_growth.h"

#include <algorithm>

#include "chain/checkpoints.h"
#include "util/ensure.h"
#include "wallet/key_ring.h"

namespace spv::client {
namespace {

// A transaction that is held may pay a script that is watched only now: the window goes on from there.
void watch_more(const wallet::WalletConfig& config, wallet::WalletState& state) {
  wallet::KeyRing ring(config.key_chains, config.gap_limit, state.key_chains);
  for (bool widened = true; widened;) {
    widened = false;
    for (const auto& record : state.transactions) {
      for (const auto& output : record.tx.outputs) {
        for (const auto& key : ring.find_all(output.script_pubkey)) {
          widened = ring.mark_used(key).widened || widened;
        }
      }
    }
  }
  for (std::size_t chain = 0; chain < ring.chain_count(); ++chain) state.key_chains[chain] = ring.state(chain);
}

// A date that no sync has turned into a height yet becomes the start point before it.
void settle_birthday(wallet::WalletConfig& config) {
  if (!config.birthday_time) return;
  const auto point = chain::start_point_before_time(chain::params(config.network), *config.birthday_time);
  config.birthday = point ? point->height : 0;
  config.birthday_time.reset();
}

}  // namespace

store::WalletContents grown(store::WalletContents before, const Growth& growth) {
  auto& [config, state] = before;
  util::ensure(growth.gap_limit.value_or(config.gap_limit) >= config.gap_limit, "a gap limit is never lowered");
  const bool higher_limit = growth.gap_limit.value_or(config.gap_limit) > config.gap_limit;
  config.gap_limit = growth.gap_limit.value_or(config.gap_limit);
  for (const auto& chain : growth.chains) {
    config.key_chains.push_back(chain);
    state.key_chains.push_back(wallet::KeyRing::fresh_state(chain.descriptor, config.gap_limit));
  }
  watch_more(config, state);
  auto& scan = state.scan;
  // Whether it is above the birthday does not tell: the first sync starts at the tip if the birthday is above that.
  const bool nothing_scanned = config.birthday_time || scan.scanned_to.hash.is_zero();
  if (growth.birthday) {
    settle_birthday(config);
    config.birthday = std::min(config.birthday, *growth.birthday);
  }
  if (nothing_scanned) {
    if (!config.birthday_time) scan.scanned_to = {.height = config.birthday - 1, .hash = {}};
    return before;
  }
  // A higher limit concerns the chains that were there, too.
  const chain::Height from = higher_limit ? config.birthday : growth.birthday.value_or(config.birthday);
  if (from > scan.scanned_to.height) return before;
  scan.backfill =
      wallet::HeightRange{scan.backfill ? std::min(scan.backfill->from, from) : from, scan.scanned_to.height};
  scan.attested.forget(from, scan.scanned_to.height);
  state.synced = false;
  return before;
}

}  // namespace spv::client
