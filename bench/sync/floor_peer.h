// FloorPeer: the least that speaks the v1 protocol: a blocking socket and one large buffer. Checks nothing that comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "util/bytes.h"

namespace spv::bench {

class FloorPeer {
 public:
  /// Connects to HOST:PORT (an IPv4 address); throws std::runtime_error. Before it reads it waits for `nap`
  /// microseconds, so that the node need not wake it for every message.
  FloorPeer(const std::string& address, unsigned nap);
  FloorPeer(const FloorPeer&) = delete;
  FloorPeer& operator=(const FloorPeer&) = delete;
  ~FloorPeer();

  /// Adds a message to what the next next() or flush() sends, in one piece.
  void queue(std::string_view command, util::ByteView payload);
  void flush();

  struct Message {
    std::string_view command;
    util::ByteView payload;
  };
  /// Sends what is queued and gives the next message, valid until the next call; throws if the node hangs up.
  Message next();

  [[nodiscard]] std::uint64_t bytes_in() const { return bytes_in_; }
  [[nodiscard]] std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  void fill(std::size_t wanted);

  int socket_ = -1;
  unsigned nap_;
  util::Bytes out_;
  util::Bytes in_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
};

}  // namespace spv::bench
