// EngineOptions: what a sync is to do. Progress: how far it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bip37/filter_mirror.h"
#include "bip37/filter_plan.h"
#include "sync/peers/peer_pool.h"
#include "sync/relay/broadcast.h"
#include "sync/scan/cross_check.h"
#include "sync/scan/source_choice.h"
#include "sync/types/types.h"

namespace spv::sync {

struct EngineOptions {
  std::vector<PeerAddress> peers;
  /// Where other peers come from; none: only those above are used.
  std::optional<BookUse> book;
  util::Duration connect_timeout = PeerPool::kConnectTimeout;
  double fp_rate = bip37::kDefaultFpRate;
  /// How long the mempool's answer is waited for; zero: not asked.
  util::Duration mempool_wait = std::chrono::seconds(10);
  /// Whether peers are asked for filtered or for whole blocks.
  SourceOptions source;
  /// Which blocks a second peer is asked for, where there is one.
  CrossCheckMode cross_check = CrossCheckMode::Sample;
  /// Stay at the tip after the wallet is synced.
  bool follow = false;
  /// What is done beside the sync, or, with `scan` false, instead of it: then no peer gets a filter, and the end is
  /// reported as soon as that is done.
  struct Errands {
    std::vector<BroadcastRequested> broadcasts{};
    bool fees = false;
    bool scan = true;
    BroadcastTiming timing{};
  };
  Errands errands{};
};

/// A connection as it is now.
struct PeerFacts {
  PeerAddress address;
  bool connected = false;
  bool ready = false;  // the handshake is done; what follows is known then
  std::string user_agent{};
  std::uint64_t services = 0;
  chain::Height height = 0;                     // what it claims, or has shown
  const bip37::FilterMirror* filter = nullptr;  // what its filter holds now; until the next step of the engine
};

/// How far a sync is; cheap, for a progress line.
struct Progress {
  chain::Height header_height = 0;
  bool headers_done = false;
  chain::Height scanned = -1;
  std::uint64_t headers_added = 0;
  /// The lowest header that is kept: nothing is scanned below it.
  chain::Height first_header = 0;
  std::size_t ready_peers = 0;
  /// The highest block that a peer said it has; a claim, for showing only.
  chain::Height announced_height = 0;
  /// All that is known of is scanned.
  bool at_rest = false;
  /// Only unconfirmed transactions are still waited for, until then.
  std::optional<util::TimePoint> waits_until = std::nullopt;
};

}  // namespace spv::sync
