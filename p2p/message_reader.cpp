#include "p2p/message_reader.h"

#include <algorithm>
#include <utility>

#include "p2p/other_networks.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::p2p {
namespace {

constexpr std::size_t kChecksumBytes = 4;

bool is_of_another_network(util::ByteView bytes, const Magic& ours) {
  const auto begins = [&](const Magic& magic) {
    return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
  };
  return std::ranges::any_of(other_magics(ours), begins);
}

}  // namespace

util::Bytes encode_frame(const Magic& magic, const Message& message) {
  const util::Bytes payload = encode_payload(message);
  const std::string_view command = command_of(message);
  util::ensure(payload.size() <= kMaxPayloadBytes, "message larger than the protocol allows");
  util::ensure(command.size() <= kCommandBytes, "command too long");
  std::array<std::uint8_t, kCommandBytes> field{};
  std::copy(command.begin(), command.end(), field.begin());
  const util::Hash256 digest = util::sha256d(payload);
  util::Writer out(kFrameHeaderBytes + payload.size());
  out.bytes(magic).bytes(field).integer(static_cast<std::uint32_t>(payload.size()));
  out.bytes(digest.view().first(kChecksumBytes)).bytes(payload);
  return out.take();
}

std::optional<std::string_view> command_in(util::ByteView field) {
  const auto is_printable = [](std::uint8_t c) { return c >= ' ' && c <= '~'; };
  const auto end = std::find(field.begin(), field.end(), std::uint8_t{0});
  if (end == field.begin() || !std::all_of(field.begin(), end, is_printable)) return std::nullopt;
  if (!std::all_of(end, field.end(), [](std::uint8_t c) { return c == 0; })) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(field.data()), static_cast<std::size_t>(end - field.begin()));
}

struct MessageReader::Frame {
  util::ByteView command;
  util::ByteView checksum;
  util::ByteView payload;
};

util::Expected<std::optional<MessageReader::Frame>, DecodeError> MessageReader::cut() const {
  const util::ByteView bytes = buffer_.view();
  const std::size_t known = std::min(bytes.size(), magic_.size());
  // The first wrong byte tells; a peer that speaks something else may never send a whole header.
  if (!std::equal(magic_.begin(), magic_.begin() + static_cast<std::ptrdiff_t>(known), bytes.begin())) {
    return util::Unexpected{is_of_another_network(bytes, magic_) ? DecodeError::OtherNetwork : DecodeError::WrongMagic};
  }
  if (bytes.size() < kFrameHeaderBytes) return std::optional<Frame>();
  util::Reader in(bytes.subspan(magic_.size()));
  Frame frame;
  frame.command = in.view(kCommandBytes);
  const auto length = in.integer<std::uint32_t>();
  if (length > kMaxPayloadBytes) return util::Unexpected{DecodeError::Oversized};
  frame.checksum = in.view(kChecksumBytes);
  if (in.remaining() < length) return std::optional<Frame>();
  frame.payload = in.view(length);
  return std::optional(frame);
}

util::Expected<std::optional<Message>, DecodeError> MessageReader::next() {
  if (failed_) return fail(*failed_);  // what came since is dropped
  const auto frame = cut();
  if (!frame) return fail(frame.error());
  if (!*frame) return std::optional<Message>();
  const auto& [field, checksum, payload] = **frame;
  // As nodes do, a command that is none is skipped like one that we do not know.
  const auto command = command_in(field);
  // A block proves itself: what is used of it hashes to its header's root, or to the witness commitment below that.
  std::optional<util::Hash256> digest;
  if (command != Block::kCommand) {
    digest = util::sha256d(payload);
    if (!std::equal(checksum.begin(), checksum.end(), digest->bytes.begin())) return fail(DecodeError::BadChecksum);
  }
  const std::string_view raw(reinterpret_cast<const char*>(field.data()), field.size());
  auto decoded = command ? decode_payload(*command, payload, digest ? &*digest : nullptr)
                         : Message{Unknown{printable(raw), payload.size()}};
  if (!decoded) return fail(decoded.error());
  const std::size_t size = kFrameHeaderBytes + payload.size();
  buffer_.drop(size);
  consumed_ += size;
  return std::optional<Message>(std::move(*decoded));
}

util::Expected<std::optional<Message>, DecodeError> MessageReader::fail(DecodeError error) {
  failed_ = error;
  buffer_ = ReceiveBuffer();
  return util::Unexpected{error};
}

}  // namespace spv::p2p
