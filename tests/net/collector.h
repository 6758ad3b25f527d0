// What a single connection reports, for tests without an engine.
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "net/connection.h"

namespace spv::net {

/// Collects what a connection reports, and can start the next one.
class Collector final : public ConnectionEvents {
 public:
  void feed(sync::Input&& input) override {
    inputs.push_back(std::move(input));
    if (on_input) on_input(inputs.back());
  }
  void count_in(std::size_t bytes) override { bytes_in += bytes; }
  void count_out(std::size_t bytes) override { bytes_out += bytes; }
  void note_received(const sync::PeerAddress& /*from*/, const p2p::Message& /*message*/, std::size_t bytes) override {
    received += bytes;
  }
  void note_sent(const sync::PeerAddress& /*to*/, const p2p::Message& /*message*/, std::size_t bytes) override {
    sent += bytes;
  }
  void note_transport(const sync::PeerAddress& /*address*/, std::string_view /*name*/) override {}

  std::vector<sync::Input> inputs;
  std::size_t bytes_in = 0;
  std::size_t bytes_out = 0;
  std::size_t received = 0;  // in messages
  std::size_t sent = 0;
  std::function<void(const sync::Input&)> on_input;
};

}  // namespace spv::net
