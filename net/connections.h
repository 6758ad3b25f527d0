// Connections: the open connections of a driver by peer, and the transport that each address was last spoken with.
// Included by net/ alone: it carries Asio.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/connection.h"

namespace spv::net {

class Connections {
 public:
  explicit Connections(ConnectionSetup setup) : setup_(std::move(setup)) {}
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections() = default;

  /// Connects in the background. `kept` stays alive as long as the connection, which ends by way of the loop.
  void open(const sync::Connect& order, ConnectionEvents& events, std::shared_ptr<void> kept);
  /// Does nothing for a peer that is gone, as does close().
  void send(const sync::Send& order);
  void close(sync::PeerId peer);
  void close_all();
  /// See Connection.
  void check_deadlines();
  [[nodiscard]] std::size_t size() const { return open_.size(); }

  void note_transport(const sync::PeerAddress& address, std::string_view name);
  /// "v1", "v2", or nothing if it was never spoken with.
  [[nodiscard]] std::string transport(const sync::PeerAddress& address) const;

 private:
  ConnectionSetup setup_;
  std::map<sync::PeerId, std::shared_ptr<Connection>> open_;
  std::map<sync::PeerAddress, std::string> transports_;
};

}  // namespace spv::net
