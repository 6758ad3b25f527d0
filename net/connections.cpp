#include "net/connections.h"

#include <utility>

namespace spv::net {

void Connections::open(const sync::Connect& order, ConnectionEvents& events, std::shared_ptr<void> kept) {
  const std::shared_ptr<Connection> connection(
      new Connection(setup_, order.peer, events),
      [kept = std::move(kept)](Connection* gone) { delete gone; });  // NOLINT(cppcoreguidelines-owning-memory)
  open_[order.peer] = connection;
  connection->start(order.address);
}

void Connections::send(const sync::Send& order) {
  const auto found = open_.find(order.peer);
  if (found != open_.end()) found->second->send(order.message);
}

void Connections::close(sync::PeerId peer) {
  const auto found = open_.find(peer);
  if (found == open_.end()) return;
  found->second->close();
  open_.erase(found);
}

void Connections::close_all() {
  for (auto& [id, connection] : open_) connection->close();
  open_.clear();
}

void Connections::check_deadlines() {
  for (auto& [id, connection] : open_) connection->check_deadlines();
}

void Connections::note_transport(const sync::PeerAddress& address, std::string_view name) {
  transports_[address] = std::string(name);
}

std::string Connections::transport(const sync::PeerAddress& address) const {
  const auto found = transports_.find(address);
  return found == transports_.end() ? std::string() : found->second;
}

}  // namespace spv::net
