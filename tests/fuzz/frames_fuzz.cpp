// The v1 stream: cut at any place it gives the same messages and the same error as in one piece (N9).
#include <algorithm>

#include "p2p/message_reader.h"
#include "tests/fuzz/fuzz.h"
#include "util/hash.h"

namespace {

using namespace spv;
constexpr p2p::Magic kMagic = {0xFA, 0xBF, 0xB5, 0xDA};

struct Outcome {
  std::vector<p2p::Message> messages;
  bool failed = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void read_all(p2p::MessageReader& reader, Outcome& outcome) {
  while (true) {
    auto next = reader.next();
    outcome.failed = !next;
    if (!next || !*next) return;
    p2p::Message& message = outcome.messages.emplace_back(std::move(**next));
    // What views the buffer must outlive it here.
    if (auto* block = std::get_if<p2p::Block>(&message)) {
      *block = p2p::Block::owning(block->header, util::to_bytes(block->body));
    }
  }
}

// The fuzzer cannot guess a checksum, so the right one is put where a frame's would stand.
util::Bytes with_checksums(util::ByteView input) {
  util::Bytes stream = util::to_bytes(input);
  for (std::size_t at = 0; stream.size() - at >= p2p::kFrameHeaderBytes;) {
    std::copy(kMagic.begin(), kMagic.end(), stream.begin() + static_cast<std::ptrdiff_t>(at));
    util::Reader length(util::ByteView(stream).subspan(at + 16, 4));
    const std::size_t payload = length.integer<std::uint32_t>();
    const std::size_t begin = at + p2p::kFrameHeaderBytes;
    if (payload > stream.size() - begin) break;
    const auto digest = util::sha256d(util::ByteView(stream).subspan(begin, payload));
    if (stream[at + 20] != 0)
      std::copy_n(digest.bytes.begin(), 4, stream.begin() + static_cast<std::ptrdiff_t>(at + 20));
    at = begin + payload;
  }
  return stream;
}

}  // namespace

SPV_FUZZ_TARGET(frames, input) {
  if (input.size() < 2) return;
  const auto stream = with_checksums(input.subspan(2));
  const std::size_t cut = (input[0] | (std::size_t{input[1]} << 8U)) % (stream.size() + 1);

  Outcome whole;
  p2p::MessageReader in_one(kMagic);
  in_one.feed(stream);
  read_all(in_one, whole);
  util::ensure(in_one.bytes_consumed() <= stream.size(), "more is taken than came");

  Outcome parts;
  p2p::MessageReader in_two(kMagic);
  in_two.feed(util::ByteView(stream).first(cut));
  read_all(in_two, parts);
  if (!parts.failed) {
    in_two.feed(util::ByteView(stream).subspan(cut));
    read_all(in_two, parts);
  }
  util::ensure(parts == whole, "a cut changes what a stream says");
}
