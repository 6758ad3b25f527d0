#include "p2p/message.h"

#include <algorithm>
#include <type_traits>

#include "util/codec.h"
#include "util/ensure.h"

namespace spv::p2p {
namespace {

using util::Reader;
using util::Writer;

// A header in `headers` is followed by a transaction count that is always zero.
constexpr std::size_t kListedHeaderSize = chain::BlockHeader::kSize + 1;

// --- writing, one overload a message ---

void write(Writer& out, const std::vector<InventoryItem>& items) {
  out.compact_size(items.size());
  for (const auto& item : items) out.integer(static_cast<std::uint32_t>(item.type)).hash(item.hash);
}

void write(Writer& out, const Version& message) {
  out.integer(message.version).integer(message.services).integer(message.time);
  message.receiver.encode(out);
  message.sender.encode(out);
  out.integer(message.nonce).var_string(message.user_agent).integer(message.start_height);
  out.integer(static_cast<std::uint8_t>(message.relay ? 1 : 0));
}

void write(Writer& out, const Ping& message) { out.integer(message.nonce); }
void write(Writer& out, const Pong& message) { out.integer(message.nonce); }

void write(Writer& out, const GetHeaders& message) {
  out.integer(message.version).compact_size(message.locator.size());
  for (const auto& hash : message.locator) out.hash(hash);
  out.hash(message.stop);
}

void write(Writer& out, const Headers& message) {
  out.compact_size(message.headers.size());
  for (const auto& header : message.headers) {
    header.encode(out);
    out.compact_size(0);
  }
}

void write(Writer& out, const Inv& message) { write(out, message.items); }
void write(Writer& out, const GetData& message) { write(out, message.items); }
void write(Writer& out, const NotFound& message) { write(out, message.items); }
void write(Writer& out, const Tx& message) { message.transaction.encode(out); }

void write(Writer& out, const MerkleBlock& message) {
  message.header.encode(out);
  message.tree.encode(out);
}

void write(Writer& out, const FilterLoad& message) { message.filter.encode(out); }
void write(Writer& out, const FeeFilter& message) { out.integer(message.sat_per_kvb); }

template <typename M>
requires requires(const M& message, Writer& out) { message.encode(out); }
void write(Writer& out, const M& message) { message.encode(out); }

template <typename M>
requires std::is_empty_v<M>
void write(Writer& /*out*/, const M& /*message*/) {}

// --- reading, in wire order; failure is sticky in the reader ---

void read(Reader& in, std::vector<InventoryItem>& items) {
  const std::size_t count = in.count(InventoryItem::kSize, kMaxInventory);
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto type = static_cast<InventoryType>(in.integer<std::uint32_t>());
    items.push_back({.type = type, .hash = in.hash()});
  }
}

void read(Reader& in, Version& message) {
  message.version = in.integer<std::int32_t>();
  message.services = in.integer<std::uint64_t>();
  message.time = in.integer<std::int64_t>();
  message.receiver = NetworkAddress::decode(in);
  message.sender = NetworkAddress::decode(in);
  message.nonce = in.integer<std::uint64_t>();
  message.user_agent = in.var_string(kMaxUserAgentBytes);
  message.start_height = in.integer<std::int32_t>();
  // BIP37: relay may be absent and is then true. Later versions may append fields, as nodes have done before.
  message.relay = in.remaining() == 0 || in.integer<std::uint8_t>() != 0;
  in.view(in.remaining());
}

void read(Reader& in, Ping& message) { message.nonce = in.integer<std::uint64_t>(); }
void read(Reader& in, Pong& message) { message.nonce = in.integer<std::uint64_t>(); }

void read(Reader& in, GetHeaders& message) {
  message.version = in.integer<std::uint32_t>();
  const std::size_t count = in.count(chain::BlockHash::kSize, kMaxLocator);
  message.locator.reserve(count);
  for (std::size_t i = 0; i < count; ++i) message.locator.push_back(in.hash<chain::BlockHash>());
  message.stop = in.hash<chain::BlockHash>();
}

void read(Reader& in, Headers& message) {
  const std::size_t count = in.count(kListedHeaderSize, kMaxHeaders);
  message.headers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    message.headers.push_back(chain::BlockHeader::decode(in));
    if (in.compact_size() != 0) in.fail();
  }
}

void read(Reader& in, Inv& message) { read(in, message.items); }
void read(Reader& in, GetData& message) { read(in, message.items); }
void read(Reader& in, NotFound& message) { read(in, message.items); }
void read(Reader& in, Tx& message) { message.transaction = chain::Transaction::decode(in); }

void read(Reader& in, MerkleBlock& message) {
  message.header = chain::BlockHeader::decode(in);
  message.tree = bip37::PartialMerkleTree::decode(in);
}

void read(Reader& in, FeeFilter& message) { message.sat_per_kvb = in.integer<std::int64_t>(); }

template <typename M>
requires requires(Reader& in) { M::decode(in); }
void read(Reader& in, M& message) { message = M::decode(in); }

template <typename M>
requires std::is_empty_v<M>
void read(Reader& /*in*/, M& /*message*/) {}

// --- dispatch by command ---

using Decoded = util::Expected<Message, DecodeError>;

template <typename M>
Decoded decode(util::ByteView payload, const util::Hash256* digest) {
  Decoded decoded(Message{std::in_place_type<M>});
  M& message = *std::get_if<M>(&*decoded);
  Reader in(payload);
  read(in, message);
  if (!in.done()) return util::Unexpected{DecodeError::Malformed};
  if constexpr (std::is_same_v<M, Tx>) {
    if (digest != nullptr && !message.transaction.has_witness()) {
      message.known_txid = util::retag<chain::Txid>(*digest);
    }
  }
  if constexpr (std::is_same_v<M, MerkleBlock>) {
    const auto is_set = [](std::uint8_t byte) { return byte != 0; };
    if (std::ranges::any_of(message.tree.flags, is_set)) message.payload = util::to_bytes(payload);
  }
  return decoded;
}

// Bitcoin Knots sends such headers once its chain has left Bitcoin's proof of work.
bool holds_foreign_headers(util::ByteView payload) {
  constexpr std::size_t kForeignHeaderBytes = 164;
  Reader in(payload);
  const std::uint64_t count = in.compact_size();
  if (!in.ok() || count == 0 || count > kMaxHeaders) return false;
  const std::size_t rest = in.remaining();
  return rest == count * kForeignHeaderBytes || rest == count * (kForeignHeaderBytes + 1);  // with a count of zero
}

template <>
Decoded decode<Headers>(util::ByteView payload, const util::Hash256* /*digest*/) {
  Headers message;
  Reader in(payload);
  read(in, message);
  if (in.done()) return Message{std::move(message)};
  return util::Unexpected{holds_foreign_headers(payload) ? DecodeError::ForeignHeaders : DecodeError::Malformed};
}

template <>
Decoded decode<FilterLoad>(util::ByteView payload, const util::Hash256* /*digest*/) {
  auto filter = bip37::BloomFilter::parse(payload);
  // We are no server: a filter sent to us means nothing, so a bad one is ignored like a command that we do not know.
  if (!filter) return Message{Unknown{std::string(FilterLoad::kCommand), payload.size()}};
  return Message{FilterLoad{std::move(*filter)}};
}

using Decoder = Decoded (*)(util::ByteView payload, const util::Hash256* digest);

template <typename M>
bool select(std::string_view command, Decoder& found) {
  if constexpr (!std::is_same_v<M, Unknown>) {
    if (command != M::kCommand) return false;
    found = &decode<M>;
    return true;
  }
  return false;
}

template <typename... Ms>
Decoder find_decoder(std::string_view command, const std::variant<Ms...>* /*alternatives*/) {
  Decoder found = nullptr;
  (select<Ms>(command, found) || ...);
  return found;
}

}  // namespace

std::string_view to_string(DecodeError error) {
  switch (error) {
    case DecodeError::WrongMagic:
      return "wrong network magic";
    case DecodeError::Oversized:
      return "message too large";
    case DecodeError::BadChecksum:
      return "bad checksum";
    case DecodeError::Malformed:
      return "malformed message";
    case DecodeError::SpeaksV1:
      return "peer speaks the v1 protocol";
    case DecodeError::NoHandshake:
      return "encrypted handshake does not end";
    case DecodeError::Unauthentic:
      return "packet is not authentic";
    case DecodeError::OtherNetwork:
      return "node of another network";
    case DecodeError::ForeignHeaders:
      return "headers of another chain";
  }
  return "unknown decode error";
}

std::string_view command_of(const Message& message) {
  return std::visit(
      [](const auto& m) -> std::string_view {
        if constexpr (std::is_same_v<std::decay_t<decltype(m)>, Unknown>) {
          return m.command;
        } else {
          return m.kCommand;
        }
      },
      message);
}

util::Bytes encode_payload(const Message& message) {
  Writer out;
  std::visit(
      [&out](const auto& m) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(m)>, Unknown>) write(out, m);
      },
      message);
  return out.take();
}

util::Bytes payload_of(MerkleBlock&& message) {
  return message.payload.empty() ? encode_payload(std::move(message)) : std::move(message.payload);
}

Decoded decode_payload(std::string_view command, util::ByteView payload, const util::Hash256* digest) {
  const Decoder decoder = find_decoder(command, static_cast<const Message*>(nullptr));
  if (decoder == nullptr) return Message{Unknown{printable(command), payload.size()}};
  return decoder(payload, digest);
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out.append("\\x").push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 0xFU]);
  }
  return out;
}

}  // namespace spv::p2p
