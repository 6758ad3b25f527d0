// BIP324, both ends: raw bytes at an end that waits for a handshake, arbitrary contents in good packets, and two ends
// that talk over a line which may change a byte: what arrives is what was sent, or the stream ends.
#include <algorithm>

#include "p2p/v2_transport.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;
using p2p::V2Transport;
using Role = V2Transport::Role;
constexpr p2p::Magic kMagic = {0xFA, 0xBF, 0xB5, 0xDA};

p2p::V2Entropy entropy(std::uint8_t seed, std::size_t garbage) {
  p2p::V2Entropy out;
  out.key.bytes.fill(seed);
  out.garbage.assign(garbage, seed);
  return out;
}

struct Outcome {
  std::vector<p2p::Message> messages;
  bool failed = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void feed(V2Transport& transport, util::ByteView bytes, Outcome& outcome) {
  if (outcome.failed) return;
  const auto room = transport.prepare(bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  transport.commit(bytes.size());
  while (true) {
    auto next = transport.next();
    outcome.failed = !next;
    if (!next || !*next) return;
    p2p::Message& message = outcome.messages.emplace_back(std::move(**next));
    // What views the buffer must outlive it here.
    if (auto* block = std::get_if<p2p::Block>(&message)) {
      *block = p2p::Block::owning(block->header, util::to_bytes(block->body));
    }
  }
}

// In one piece and in two: the same messages, and the same end.
void raw(Role role, fuzz::Input input) {
  const std::size_t place = input.word();
  const auto bytes = input.rest();
  Outcome whole;
  V2Transport in_one(kMagic, role, entropy(1, 1));
  feed(in_one, bytes, whole);
  Outcome parts;
  V2Transport in_two(kMagic, role, entropy(1, 1));
  const std::size_t cut = std::min(place, bytes.size());
  feed(in_two, bytes.first(cut), parts);
  feed(in_two, bytes.subspan(cut), parts);
  util::ensure(parts == whole, "a cut changes what a stream says");
  util::ensure(whole.messages.empty() || !whole.failed || in_one.session_id(), "messages without keys");
}

// Contents cut from the input go as packets under the keys of a real handshake; then the rest goes unencrypted.
void encrypted(Role role, fuzz::Input input) {
  V2Transport end(kMagic, role, entropy(1, 0));
  util::SecretArray<32> key;
  key.bytes.fill(2);
  const auto ours = *p2p::encode_ell_swift(key, {});
  Outcome outcome;
  util::Bytes hello(ours.begin(), ours.end());
  feed(end, hello, outcome);
  const auto first = end.take_output();
  p2p::EllSwift theirs{};
  util::ensure(first.size() >= theirs.size(), "an end sends its key");
  std::copy_n(first.begin(), theirs.size(), theirs.begin());
  const bool we_start = role == Role::Responder;
  p2p::V2Cipher cipher(*p2p::ell_swift_secret(key, ours, theirs, we_start), kMagic, we_start);
  util::Bytes stream(cipher.send_terminator().begin(), cipher.send_terminator().end());
  cipher.encrypt({}, {}, false, stream);
  feed(end, stream, outcome);
  util::ensure(outcome == Outcome{}, "a good handshake passes");
  while (!input.empty() && !outcome.failed) {
    const std::uint8_t kind = input.byte();
    if (kind == 0xFF) {
      feed(end, input.take(input.rest().size()), outcome);
      continue;
    }
    util::Bytes packet;
    cipher.encrypt(input.take(kind & 0x7FU), {}, kind > 0x7F, packet);
    feed(end, packet, outcome);
  }
}

// Pings both ways; a byte on the line may change.
void pair(fuzz::Input input) {
  const std::size_t garbage = input.byte();
  const std::size_t flip_at = input.word();
  const std::uint8_t flip = input.byte();
  V2Transport initiator(kMagic, Role::Initiator, entropy(1, garbage));
  V2Transport responder(kMagic, Role::Responder, entropy(2, 255 - garbage));
  std::vector<p2p::Message> sent;
  Outcome there;
  Outcome back;
  std::size_t passed = 0;
  const auto carry = [&](V2Transport& from, V2Transport& to, Outcome& outcome) {
    auto bytes = from.take_output();
    if (flip_at >= passed && flip_at - passed < bytes.size()) bytes[flip_at - passed] ^= flip;
    passed += bytes.size();
    feed(to, bytes, outcome);
  };
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::size_t decoy = input.byte();
    if (i > 1 && !there.failed && !back.failed && initiator.session_id()) initiator.send_decoy(util::Bytes(decoy));
    initiator.send(sent.emplace_back(p2p::Ping{i}));
    responder.send(p2p::Ping{i});
    carry(initiator, responder, there);
    carry(responder, initiator, back);
  }
  for (const Outcome* outcome : {&there, &back}) {
    util::ensure(outcome->messages.size() <= sent.size(), "more arrives than was sent");
    util::ensure(std::equal(outcome->messages.begin(), outcome->messages.end(), sent.begin()), "other messages arrive");
  }
  const bool intact = flip == 0 || flip_at >= passed;
  util::ensure(!intact || (there == Outcome{sent, false} && back == Outcome{sent, false}), "an honest line fails");
}

}  // namespace

SPV_FUZZ_TARGET(v2_transport, input) {
  fuzz::Input rest(input);
  switch (rest.below(5)) {
    case 0:
      return raw(Role::Initiator, rest);
    case 1:
      return raw(Role::Responder, rest);
    case 2:
      return encrypted(Role::Initiator, rest);
    case 3:
      return encrypted(Role::Responder, rest);
    default:
      return pair(rest);
  }
}
