// Shard: a session with as many wallets as one filter holds. A client has one, or several where its wallets need more
// filters: each has its own connections.
#pragma once

#include <optional>

#include "client/session.h"

namespace spv::client {

struct Shard {
  /// `stays`: at the tip, once it is there.
  Shard(store::HeaderBase base, bool stays) : session(base), follows(stays) {}

  Session session;
  bool follows;
  /// Its wallets are scanned to the tip.
  bool finished = false;
  /// The tip that its wallets were scanned to when it said so last.
  std::optional<chain::BlockRef> tip{};
  /// A wallet came that its engine does not know yet.
  bool joining = false;

  /// Nothing more comes of it: it had finished, and does not follow the tip.
  [[nodiscard]] bool ended() const { return finished && !follows; }
  /// It is stopped, and can be started again.
  void rest() {
    session.rest();
    finished = false;
    tip.reset();
  }
};

}  // namespace spv::client
