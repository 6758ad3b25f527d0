// V2Transport: the encrypted transport of BIP324 as a pure state machine. Entropy comes in, bytes go both ways.
//
//   AwaitingKey --64 bytes--> AwaitingTerminator --garbage, terminator--> AwaitingVersion --packet--> Open
//
// The initiator sends key and garbage at once; each end sends its terminator and version packet, and then messages,
// as soon as it has the other's key. Decoys are dropped in every state. What resists what: garbage is bounded; the
// first packet authenticates it; a packet that is not authentic, or longer than a message, ends the stream; a peer
// that answers with v1's first bytes is told apart, so that the driver can come back with v1; so is a node of another
// network, whose keys differ by the network's magic alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "p2p/elligator_swift.h"
#include "p2p/message_reader.h"
#include "p2p/receive_buffer.h"
#include "p2p/transport.h"
#include "p2p/v2_cipher.h"

namespace spv::p2p {

/// BIP324: the most garbage that an end may send.
inline constexpr std::size_t kMaxGarbageBytes = 4'095;

/// What makes a connection unlike any other; fresh from the system's entropy.
struct V2Entropy {
  util::SecretArray<32> key;
  std::array<std::uint8_t, 32> encoding{};
  util::Bytes garbage;  // of random length up to kMaxGarbageBytes
};

class V2Transport final : public Transport {
 public:
  enum class Role { Initiator, Responder };
  V2Transport(const Magic& magic, Role role, V2Entropy entropy);

  std::span<std::uint8_t> prepare(std::size_t size) override { return buffer_.prepare(size); }
  void commit(std::size_t size) override { buffer_.commit(size); }
  util::Expected<std::optional<Message>, DecodeError> next() override;
  void send(const Message& message) override;
  /// A packet that the other end drops, to hide how much is said; only once the keys are known.
  void send_decoy(util::ByteView contents);
  util::Bytes take_output() override;

  [[nodiscard]] std::uint64_t bytes_consumed() const override { return consumed_; }
  [[nodiscard]] bool mid_frame() const override;
  [[nodiscard]] bool suggests_v1() const override;
  [[nodiscard]] std::string_view name() const override { return "v2"; }
  [[nodiscard]] std::optional<std::array<std::uint8_t, 32>> session_id() const override;

 private:
  struct AwaitingKey {};
  struct AwaitingTerminator {
    std::vector<V2Cipher::Terminator> foreign;  // what a node of another network would send
    std::size_t searched = 0;                   // bytes of garbage that hold no terminator
  };
  struct AwaitingVersion {
    util::Bytes garbage;  // authenticated by the first packet
  };
  struct Open {};
  struct Failed {
    DecodeError error;
  };
  using State = std::variant<AwaitingKey, AwaitingTerminator, AwaitingVersion, Open, Failed>;
  /// Whether a step moved on, needs more bytes, or failed.
  enum class Step { Done, NeedsMore, Failed };

  Step handshake();
  Step on(const AwaitingKey& state);
  Step on(AwaitingTerminator& state);
  Step on(AwaitingVersion& state);
  Step fail(DecodeError error);
  /// The state that follows.
  AwaitingTerminator derive_keys(const EllSwift& theirs);
  /// The next whole packet, decrypted in the buffer; drop_packet() when done with it.
  std::optional<V2Cipher::Packet> receive(util::ByteView aad, Step& step);
  void drop_packet();
  void consume(std::size_t size);
  void write(const Message& message);

  Magic magic_;
  Role role_;
  V2Entropy entropy_;
  EllSwift ours_{};
  State state_ = AwaitingKey{};
  std::optional<V2Cipher> cipher_;
  std::optional<std::size_t> packet_size_;  // of the packet under way, without its length field
  ReceiveBuffer buffer_;
  std::vector<Message> waiting_;  // until the keys are known
  util::Bytes output_;
  std::uint64_t consumed_ = 0;
};

}  // namespace spv::p2p
