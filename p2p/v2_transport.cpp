#include "p2p/v2_transport.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "p2p/other_networks.h"
#include "p2p/v2_message.h"
#include "util/ensure.h"

namespace spv::p2p {
namespace {

// One byte or the long form of a command, then a payload.
constexpr std::size_t kMaxContentsBytes = 1 + kCommandBytes + kMaxPayloadBytes;

// A v1 connection opens with the magic and the command "version", zero-padded.
bool opens_like_v1(util::ByteView bytes, const Magic& magic) {
  using namespace std::string_view_literals;
  constexpr auto kVersionField = "version\0\0\0\0\0"sv;
  if (bytes.size() < magic.size() + kVersionField.size()) return false;
  const auto field = bytes.subspan(magic.size());
  return std::equal(magic.begin(), magic.end(), bytes.begin()) &&
         std::equal(kVersionField.begin(), kVersionField.end(), field.begin(),
                    [](char c, std::uint8_t byte) { return static_cast<std::uint8_t>(c) == byte; });
}

}  // namespace

V2Transport::V2Transport(const Magic& magic, Role role, V2Entropy entropy)
    : magic_(magic), role_(role), entropy_(std::move(entropy)) {
  util::ensure(entropy_.garbage.size() <= kMaxGarbageBytes, "more garbage than BIP324 allows");
  const auto encoding = encode_ell_swift(entropy_.key, entropy_.encoding);
  util::ensure(encoding.has_value(), "entropy that is no private key");
  ours_ = *encoding;
  output_.assign(ours_.begin(), ours_.end());
  output_.insert(output_.end(), entropy_.garbage.begin(), entropy_.garbage.end());
}

util::Bytes V2Transport::take_output() {
  // A responder shows nothing of v2 until it knows that the peer does not speak v1.
  if (role_ == Role::Responder && !cipher_) return {};
  return std::exchange(output_, {});
}

void V2Transport::send(const Message& message) {
  if (cipher_) return write(message);
  waiting_.push_back(message);
}

void V2Transport::write(const Message& message) { cipher_->encrypt(encode_v2_contents(message), {}, false, output_); }

void V2Transport::send_decoy(util::ByteView contents) {
  util::ensure(cipher_.has_value(), "a decoy needs the keys");
  cipher_->encrypt(contents, {}, true, output_);
}

util::Expected<std::optional<Message>, DecodeError> V2Transport::next() {
  Step step = handshake();
  while (step == Step::Done) {
    const auto packet = receive({}, step);
    if (!packet) continue;
    if (packet->decoy) {
      drop_packet();
      continue;
    }
    auto message = decode_v2_contents(packet->contents);
    drop_packet();
    if (message) return std::optional<Message>(std::move(*message));
    step = fail(message.error());
  }
  if (step == Step::Failed) return util::Unexpected{std::get<Failed>(state_).error};
  return std::optional<Message>();
}

V2Transport::Step V2Transport::handshake() {
  Step step = Step::Done;
  while (step == Step::Done && !std::holds_alternative<Open>(state_)) {
    if (auto* key = std::get_if<AwaitingKey>(&state_)) {
      step = on(*key);
    } else if (auto* terminator = std::get_if<AwaitingTerminator>(&state_)) {
      step = on(*terminator);
    } else if (auto* version = std::get_if<AwaitingVersion>(&state_)) {
      step = on(*version);
    } else {
      step = fail(std::get<Failed>(state_).error);
    }
  }
  return step;
}

V2Transport::Step V2Transport::on(const AwaitingKey& /*state*/) {
  const auto bytes = buffer_.view();
  if (opens_like_v1(bytes, magic_)) return fail(DecodeError::SpeaksV1);
  EllSwift theirs{};
  if (bytes.size() < theirs.size()) return Step::NeedsMore;
  std::copy_n(bytes.begin(), theirs.size(), theirs.begin());
  consume(theirs.size());
  state_ = derive_keys(theirs);
  return Step::Done;
}

V2Transport::AwaitingTerminator V2Transport::derive_keys(const EllSwift& theirs) {
  const bool initiating = role_ == Role::Initiator;
  const auto secret = ell_swift_secret(entropy_.key, ours_, theirs, initiating);
  util::ensure(secret.has_value(), "every encoding has a point");
  cipher_.emplace(*secret, magic_, initiating);
  AwaitingTerminator next;
  for (const Magic& magic : other_magics(magic_)) {
    next.foreign.push_back(V2Cipher::receive_terminator_on(magic, *secret, initiating));
  }
  const auto& terminator = cipher_->send_terminator();
  output_.insert(output_.end(), terminator.begin(), terminator.end());
  cipher_->encrypt({}, entropy_.garbage, false, output_);  // the version packet; it has no contents yet
  entropy_ = V2Entropy{};
  for (const auto& message : std::exchange(waiting_, {})) write(message);
  return next;
}

V2Transport::Step V2Transport::on(AwaitingTerminator& state) {
  const auto& terminator = cipher_->receive_terminator();
  const auto bytes = buffer_.view();
  const auto window = bytes.first(std::min(bytes.size(), kMaxGarbageBytes + terminator.size()));
  const auto from = window.begin() + static_cast<std::ptrdiff_t>(state.searched);
  const auto found = std::search(from, window.end(), terminator.begin(), terminator.end());
  if (found != window.end()) {
    const auto size = static_cast<std::size_t>(found - window.begin());
    auto garbage = util::to_bytes(window.first(size));
    consume(size + terminator.size());
    state_ = AwaitingVersion{std::move(garbage)};
    return Step::Done;
  }
  const auto is_here = [&](const V2Cipher::Terminator& foreign) {
    return std::search(from, window.end(), foreign.begin(), foreign.end()) != window.end();
  };
  if (std::ranges::any_of(state.foreign, is_here)) return fail(DecodeError::OtherNetwork);
  if (window.size() == kMaxGarbageBytes + terminator.size()) return fail(DecodeError::NoHandshake);
  // So that garbage that trickles in is searched once, not once a byte.
  if (window.size() >= terminator.size()) state.searched = window.size() - terminator.size() + 1;
  return Step::NeedsMore;
}

V2Transport::Step V2Transport::on(AwaitingVersion& state) {
  Step step = Step::Done;
  const auto packet = receive(state.garbage, step);
  if (!packet) return step;
  const bool decoy = packet->decoy;
  drop_packet();
  state.garbage.clear();        // only the first packet covers it
  if (!decoy) state_ = Open{};  // contents are for versions of the transport to come
  return Step::Done;
}

std::optional<V2Cipher::Packet> V2Transport::receive(util::ByteView aad, Step& step) {
  step = Step::NeedsMore;
  if (!packet_size_) {
    if (buffer_.view().size() < kV2LengthBytes) return std::nullopt;
    const std::size_t contents = cipher_->decrypt_length(buffer_.view().data());
    if (contents > kMaxContentsBytes) {
      step = fail(DecodeError::Oversized);
      return std::nullopt;
    }
    consume(kV2LengthBytes);
    packet_size_ = kV2HeaderBytes + contents + kV2TagBytes;
  }
  if (buffer_.view().size() < *packet_size_) return std::nullopt;
  const auto packet = cipher_->decrypt(buffer_.mutable_view().first(*packet_size_), aad);
  step = packet ? Step::Done : fail(DecodeError::Unauthentic);
  return packet;
}

void V2Transport::drop_packet() {
  consume(*packet_size_);
  packet_size_.reset();
}

void V2Transport::consume(std::size_t size) {
  buffer_.drop(size);
  consumed_ += size;
}

V2Transport::Step V2Transport::fail(DecodeError error) {
  state_ = Failed{error};
  buffer_ = ReceiveBuffer();
  return Step::Failed;
}

bool V2Transport::mid_frame() const { return packet_size_.has_value() || !buffer_.view().empty(); }

bool V2Transport::suggests_v1() const {
  if (const auto* failed = std::get_if<Failed>(&state_)) return failed->error == DecodeError::SpeaksV1;
  return std::holds_alternative<AwaitingKey>(state_) && buffer_.view().empty();
}

std::optional<std::array<std::uint8_t, 32>> V2Transport::session_id() const {
  if (!cipher_) return std::nullopt;
  return cipher_->session_id();
}

}  // namespace spv::p2p
