// SyncReport: how a running sync stands, for a page or a monitor: progress, peers, filters, what all of it has cost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/sync_values.h"
#include "net/usage.h"

namespace spv::client {

/// A filter as a peer holds it now.
struct FilterReport {
  std::size_t bytes = 0;
  std::uint32_t hash_funcs = 0;
  std::size_t elements = 0;  // the wallets' own
  std::size_t decoys = 0;
  double fill = 0;
  double fp_target = 0;
  double fp_expected = 0;      // as filled as it is now
  std::uint64_t loads = 0;     // how often the peer was sent one
  std::uint64_t distinct = 0;  // and how many different ones
  std::size_t wallets = 0;     // that it serves
};

struct PeerReport {
  std::string address;
  std::string user_agent;
  std::string transport;  // empty before the handshake
  std::uint64_t services = 0;
  chain::Height height = 0;
  std::string state;  // "connecting", "handshake", "ready"
  ByteCounts bytes;
  util::UnixTime last_answer = 0;  // 0: none yet
  std::optional<FilterReport> filter;
};

/// What a peer, connected or not, has been given since the start.
struct FiltersSent {
  std::string peer;
  std::uint64_t loads = 0;
  std::uint64_t distinct = 0;
  std::uint64_t bytes = 0;
  util::UnixTime last = 0;
};

struct SyncReport {
  bool running = false;
  bool waits_for_store = false;
  bool headers_done = false;
  bool synced = false;  // every wallet is scanned to the tip
  std::optional<chain::BlockRef> tip;
  util::UnixTime tip_time = 0;
  chain::Height announced = 0;  // the highest block that a peer claims to have
  chain::Height scanned = -1;   // by all wallets
  ScanCounts counts;
  ByteCounts bytes;
  std::array<ByteCounts, net::kCauses> by_cause{};
  std::vector<FilterReport> filters;  // one for each group of wallets
  std::vector<PeerReport> peers;
  std::vector<FiltersSent> sent;
};

}  // namespace spv::client
