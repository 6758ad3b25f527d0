// Unsolicited: how much of what nobody asked for each peer has sent. One that goes on and on is left.
#pragma once

#include <cstddef>
#include <map>

#include "sync/types/types.h"

namespace spv::sync {

class Unsolicited {
 public:
  static constexpr std::size_t kMax = 100;
  /// What a message counts that is large, or takes long to decode.
  static constexpr std::size_t kLarge = 10;

  /// Counts one message; true if the peer has sent too much.
  bool add(PeerId peer, std::size_t weight = 1) { return (sent_[peer] += weight) >= kMax; }
  void on_peer_lost(PeerId peer) { sent_.erase(peer); }

 private:
  std::map<PeerId, std::size_t> sent_;
};

}  // namespace spv::sync
