// BIP324: raw bytes at an end that waits for a handshake, and arbitrary contents in good packets.
#include <algorithm>

#include "p2p/v2_transport.h"
#include "util/ensure.h"

namespace {

using namespace spv;
using p2p::V2Transport;
constexpr p2p::Magic kMagic = {0xFA, 0xBF, 0xB5, 0xDA};

p2p::V2Entropy entropy(std::uint8_t seed) {
  p2p::V2Entropy out;
  out.key.bytes.fill(seed);
  out.garbage.assign(seed, seed);
  return out;
}

// False once the stream has failed.
bool feed(V2Transport& transport, util::ByteView bytes) {
  const auto room = transport.prepare(bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  transport.commit(bytes.size());
  while (true) {
    const auto next = transport.next();
    if (!next) return false;
    if (!*next) return true;
  }
}

void raw(util::ByteView bytes, V2Transport::Role role) {
  V2Transport transport(kMagic, role, entropy(1));
  const std::size_t half = bytes.size() / 2;
  if (feed(transport, bytes.first(half))) feed(transport, bytes.subspan(half));
  transport.take_output();
}

// Contents cut from the input go as messages, under the keys of a real handshake; then the rest goes unencrypted.
void encrypted(util::ByteView bytes) {
  V2Transport initiator(kMagic, V2Transport::Role::Initiator, entropy(1));
  p2p::EllSwift theirs{};
  util::SecretArray<32> key;
  key.bytes.fill(2);
  const auto ours = *p2p::encode_ell_swift(key, {});
  const auto first = initiator.take_output();
  std::copy_n(first.begin(), theirs.size(), theirs.begin());
  p2p::V2Cipher cipher(*p2p::ell_swift_secret(key, ours, theirs, false), kMagic, false);
  util::Bytes stream(ours.begin(), ours.end());
  stream.insert(stream.end(), cipher.send_terminator().begin(), cipher.send_terminator().end());
  cipher.encrypt({}, {}, false, stream);
  util::ensure(feed(initiator, stream), "a good handshake passes");
  while (bytes.size() > 1) {
    const std::size_t size = std::min<std::size_t>(bytes[0] & 0x7FU, bytes.size() - 1);
    util::Bytes packet;
    cipher.encrypt(bytes.subspan(1, size), {}, bytes[0] > 0x7F, packet);
    if (!feed(initiator, packet)) return;
    bytes = bytes.subspan(1 + size);
  }
  feed(initiator, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const util::ByteView bytes(data + 1, size - 1);
  if (data[0] == 0) {
    raw(bytes, V2Transport::Role::Initiator);
  } else if (data[0] == 1) {
    raw(bytes, V2Transport::Role::Responder);
  } else {
    encrypted(bytes);
  }
  return 0;
}
