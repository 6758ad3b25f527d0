// Announcers: which peers have announced which transaction, so that another one can be asked where the first does not
// deliver (security.md E7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "chain/types.h"
#include "sync/types/types.h"

namespace spv::sync {

class Announcers {
 public:
  /// At most this many peers are remembered for one transaction.
  static constexpr std::size_t kMaxPeers = 8;

  /// Remembers at most `limit` transactions; all are forgotten when there are more (security.md R6).
  explicit Announcers(std::size_t limit) : limit_(limit) {}

  /// Adds the peer to those that announced a transaction; false if nobody did so far, and nothing changes.
  bool add_to_known(const chain::Txid& txid, PeerId peer);
  /// The first announcement of a transaction.
  void add_first(const chain::Txid& txid, PeerId peer);
  /// The peer did not deliver: another one that announced it and is still connected. If there is none, the transaction
  /// is forgotten, so that it can be announced anew.
  std::optional<PeerId> next_after(const chain::Txid& txid, PeerId failed);
  /// The peer still counts as one that announced, but cannot be asked.
  void on_peer_lost(PeerId peer);
  /// Forgets all other transactions.
  void keep_only(const std::vector<chain::Txid>& txids);

  /// How many peers announced it, up to kMaxPeers.
  [[nodiscard]] std::size_t count(const chain::Txid& txid) const;
  [[nodiscard]] bool contains(const chain::Txid& txid, PeerId peer) const;

 private:
  struct Peers {
    std::array<PeerId, kMaxPeers> ids{};
    std::uint8_t count = 0;
    [[nodiscard]] bool contains(PeerId peer) const;
    void add(PeerId peer);
    void remove(PeerId peer);
  };

  std::size_t limit_;
  std::unordered_map<chain::Txid, Peers> known_;
};

}  // namespace spv::sync
