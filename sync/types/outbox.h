// Outbox: collects the actions of one step, in order.
#pragma once

#include <utility>
#include <vector>

#include "sync/types/types.h"

namespace spv::sync {

class Outbox {
 public:
  void connect(PeerId peer, PeerAddress address) { actions_.emplace_back(Connect{peer, std::move(address)}); }
  void send(PeerId peer, p2p::Message message) { actions_.emplace_back(Send{peer, std::move(message)}); }
  void disconnect(PeerId peer, DisconnectReason reason) { actions_.emplace_back(Disconnect{peer, reason}); }
  void persist(std::vector<MemberChanges> wallets) { actions_.emplace_back(Persist{std::move(wallets)}); }
  void find_peers() { actions_.emplace_back(FindPeers{}); }
  void notify(Event event) { actions_.emplace_back(Notify{std::move(event)}); }

  [[nodiscard]] std::vector<Action> take() { return std::exchange(actions_, {}); }

 private:
  std::vector<Action> actions_;
};

}  // namespace spv::sync
