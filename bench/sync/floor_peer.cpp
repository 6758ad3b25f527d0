#include "bench/sync/floor_peer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "chain/params.h"
#include "util/codec.h"
#include "util/hash.h"

namespace spv::bench {
namespace {

constexpr std::size_t kFrameBytes = 24;
constexpr std::size_t kCommandBytes = 12;
constexpr std::size_t kBufferBytes = 4'000'000 + 1'000'000;  // the largest message, and room to read ahead

}  // namespace

FloorPeer::FloorPeer(const std::string& address, unsigned nap) : nap_(nap), in_(kBufferBytes) {
  const auto colon = address.rfind(':');
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_port = htons(static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1))));
  if (inet_pton(AF_INET, address.substr(0, colon).c_str(), &target.sin_addr) != 1) {
    throw std::runtime_error(address + " is no IPv4 address with a port");
  }
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0) {
    close(socket_);
    throw std::runtime_error("cannot connect to " + address);
  }
}

FloorPeer::~FloorPeer() { close(socket_); }

void FloorPeer::queue(std::string_view command, util::ByteView payload) {
  std::array<std::uint8_t, kCommandBytes> name{};
  std::copy(command.begin(), command.end(), name.begin());
  util::Writer frame(kFrameBytes);
  frame.bytes(chain::params(chain::Network::Regtest).magic).bytes(name);
  frame.integer(static_cast<std::uint32_t>(payload.size()));
  const auto checksum = util::sha256d(payload);
  frame.bytes(checksum.view().first(4));
  out_.insert(out_.end(), frame.data().begin(), frame.data().end());
  out_.insert(out_.end(), payload.begin(), payload.end());
}

void FloorPeer::flush() {
  for (std::size_t sent = 0; sent < out_.size();) {
    const auto n = send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("the node hung up");
    sent += static_cast<std::size_t>(n);
  }
  bytes_out_ += out_.size();
  out_.clear();
}

void FloorPeer::fill(std::size_t wanted) {
  if (end_ - begin_ >= wanted) return;
  if (begin_ + wanted > in_.size()) {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (wanted > in_.size()) throw std::runtime_error("a message above the limit");
  while (end_ - begin_ < wanted) {
    if (nap_ > 0) usleep(nap_);
    const auto n = recv(socket_, in_.data() + end_, in_.size() - end_, 0);
    if (n <= 0) throw std::runtime_error("the node hung up");
    end_ += static_cast<std::size_t>(n);
    bytes_in_ += static_cast<std::uint64_t>(n);
  }
}

FloorPeer::Message FloorPeer::next() {
  if (!out_.empty()) flush();
  if (begin_ == end_) begin_ = end_ = 0;
  fill(kFrameBytes);
  const util::ByteView frame(in_.data() + begin_, kFrameBytes);
  const auto size = std::size_t{util::Reader(frame.subspan(4 + kCommandBytes)).integer<std::uint32_t>()};
  fill(kFrameBytes + size);  // may move what the view above looks at
  const auto* start = in_.data() + begin_;
  const auto* name = reinterpret_cast<const char*>(start + 4);
  begin_ += kFrameBytes + size;
  return {{name, strnlen(name, kCommandBytes)}, {start + kFrameBytes, size}};
}

}  // namespace spv::bench
