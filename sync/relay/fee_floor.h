// FeeFloor: below which fee rate peers relay nothing to us, as each of them says (BIP133). It is what a transaction
// must pay to get around. The median counts: a few liars move it nowhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "p2p/message.h"
#include "sync/types/types.h"

namespace spv::sync {

class FeeFloor {
 public:
  /// In sat/kvB. A node in its first sync says 9,170,997: it wants no transactions at all.
  static constexpr std::int64_t kHighest = 1'000'000;
  /// So many peers are enough.
  static constexpr std::size_t kEnough = 3;

  /// The last word of a peer counts. What makes no sense is dropped.
  void on(PeerId peer, const p2p::FeeFilter& message);
  void on_peer_lost(PeerId peer) { heard_.erase(peer); }
  /// How many peers have said something that counts.
  [[nodiscard]] std::size_t heard() const { return heard_.size(); }
  /// The median in sat/kvB, of two the higher one.
  [[nodiscard]] std::optional<std::int64_t> median() const;

 private:
  std::map<PeerId, std::int64_t> heard_;
};

}  // namespace spv::sync
