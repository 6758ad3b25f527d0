// Shard: a session with wallets that are scanned together. A client has one, or several: where its wallets need more
// filters, and where some of them have blocks to catch up on. Each has its own connections.
#pragma once

#include <limits>
#include <optional>

#include "client/session.h"

namespace spv::client {

struct Shard {
  /// `stays`: at the tip, once it is there.
  Shard(store::HeaderBase base, bool stays) : session(base), follows(stays) {}

  Session session;
  bool follows;
  /// Its wallets are behind those of another shard: once they are at the tip they are followed with those.
  bool catches_up = false;
  /// Where its wallets begin, while it is not started.
  chain::Height begins_at = std::numeric_limits<chain::Height>::max();
  /// Its wallets are scanned to the tip.
  bool finished = false;
  /// The tip that its wallets were scanned to when it said so last.
  std::optional<chain::BlockRef> tip{};
  /// A wallet came that its engine does not know yet.
  bool joining = false;

  /// The next block to scan.
  [[nodiscard]] chain::Height position() const { return session.started() ? session.position() : begins_at; }
  [[nodiscard]] bool at_rest() const { return session.started() && !joining && session.at_rest(); }
  /// Nothing more comes of it: it had finished, and does not follow the tip.
  [[nodiscard]] bool ended() const { return finished && !follows; }
  /// It is stopped, and can be started again.
  void rest() {
    begins_at = position();
    session.rest();
    finished = false;
    tip.reset();
  }
};

}  // namespace spv::client
