// Usage: what the connections of a client have cost and revealed since its start: bytes by cause and by peer, and which
// filters went to whom. It outlives drivers, which come and go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "net/traffic.h"
#include "p2p/message.h"
#include "sync/types/types.h"
#include "util/time.h"

namespace spv::net {

/// What a message is about.
enum class Cause { Headers, FilteredBlocks, Blocks, Transactions, Filters, Addresses, Other };
inline constexpr std::size_t kCauses = 7;
std::string_view to_string(Cause cause);
Cause cause_of(const p2p::Message& message);

struct PeerUsage {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  util::UnixTime last_answer = 0;  // 0: none yet
  /// Filters that it was sent: how often, how many different ones, their bytes, and when the last one.
  std::uint64_t loads = 0;
  std::set<std::uint64_t> filters;  // fingerprints
  std::uint64_t filter_bytes = 0;
  util::UnixTime last_load = 0;
};

class Usage {
 public:
  /// Peers that are kept in sight; the one that answered longest ago is forgotten for another.
  static constexpr std::size_t kMaxPeers = 256;

  void on_received(const sync::PeerAddress& from, const p2p::Message& message, std::size_t bytes, util::UnixTime now);
  void on_sent(const sync::PeerAddress& to, const p2p::Message& message, std::size_t bytes, util::UnixTime now);

  /// In the order of Cause.
  [[nodiscard]] const std::array<Traffic, kCauses>& traffic() const { return traffic_; }
  [[nodiscard]] const std::map<sync::PeerAddress, PeerUsage>& peers() const { return peers_; }
  /// Zeros for one that is not known.
  [[nodiscard]] PeerUsage of(const sync::PeerAddress& peer) const;

 private:
  PeerUsage& at(const sync::PeerAddress& peer);

  std::array<Traffic, kCauses> traffic_{};
  std::map<sync::PeerAddress, PeerUsage> peers_;
};

}  // namespace spv::net
