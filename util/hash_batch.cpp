#include "util/hash_batch.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "util/hash.h"
#include "util/sha256_x86.h"

namespace spv::util {
namespace {

void hash_singly(std::span<const PartedMessage> messages, Hash256* out) {
  for (const auto& message : messages) {
    *out++ = Sha256().write(message.first).write(message.middle).write(message.last).finish_double();
  }
}

void hash_singly(const Hash256* nodes, std::size_t pairs, Hash256* out) {
  for (std::size_t i = 0; i < pairs; ++i) out[i] = sha256d_pair(nodes[2 * i].view(), nodes[2 * i + 1].view());
}

#if defined(__x86_64__)

constexpr std::size_t kBlock = 64;
using Block = std::array<std::uint8_t, kBlock>;

void put_big_endian(std::uint64_t value, std::uint8_t* out) {
  const std::uint64_t big = __builtin_bswap64(value);
  std::memcpy(out, &big, sizeof big);
}

/// A message cut into blocks: what lies whole in memory is read there, the ends are put together here.
class Source {
 public:
  void load(const PartedMessage& message) {
    const std::size_t total = message.first.size() + message.middle.size() + message.last.size();
    filled_ = 0;
    const std::size_t into_head = message.first.empty() ? 0 : kBlock - message.first.size();
    has_head_ = into_head > 0 && message.middle.size() >= into_head;
    ByteView rest = message.middle;
    if (has_head_) {
      std::memcpy(head_.data(), message.first.data(), message.first.size());
      std::memcpy(head_.data() + message.first.size(), rest.data(), into_head);
      rest = rest.subspan(into_head);
    } else {
      append(message.first);
    }
    inside_ = filled_ == 0 ? rest.size() / kBlock : 0;
    at_ = rest.data();
    append_end(message.middle, rest.size() - inside_ * kBlock);
    append(message.last);
    finish(total);
  }
  /// The next block; null after the last.
  const std::uint8_t* next() {
    if (has_head_) {
      has_head_ = false;
      return head_.data();
    }
    if (inside_ > 0) {
      --inside_;
      return std::exchange(at_, at_ + kBlock);
    }
    if (end_blocks_ == 0) return nullptr;
    --end_blocks_;
    return std::exchange(end_, end_ + kBlock);
  }

 private:
  void append(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(tail() + filled_, bytes.data(), bytes.size());
    filled_ += bytes.size();
  }
  // Copies of a fixed size are a few instructions; what comes before the wanted bytes falls into the room for it.
  void append_end(ByteView bytes, std::size_t size) {
    if (bytes.size() < kBlock || size > kBlock || filled_ != 0) return append(bytes.last(size));
    std::memcpy(tail() + size - kBlock, bytes.data() + bytes.size() - kBlock, kBlock);
    filled_ = size;
  }
  void finish(std::size_t total) {
    constexpr std::size_t kMostPadding = kBlock + 8;
    std::memset(tail() + filled_, 0, kMostPadding);
    tail()[filled_] = 0x80;
    end_ = tail();
    end_blocks_ = (filled_ + 9 + kBlock - 1) / kBlock;
    put_big_endian(8 * total, tail() + end_blocks_ * kBlock - 8);
  }
  std::uint8_t* tail() { return tail_.data() + kBlock; }

  bool has_head_ = false;
  Block head_;
  const std::uint8_t* at_ = nullptr;
  std::size_t inside_ = 0;  // blocks that lie whole in memory
  const std::uint8_t* end_ = nullptr;
  std::size_t end_blocks_ = 0;          // the last, at end_
  std::array<std::uint8_t, 384> tail_;  // room for a block; at most three parts of less than a block; the padding
  std::size_t filled_ = 0;
};

/// One place at which a message is hashed once, block by block; its words are left in place of its hash.
template <typename Load>
class Lane {
 public:
  /// Takes the next message; false if there is none.
  bool begin(Load& load) {
    if (!load(source_, out_)) return false;
    state_ = kSha256Start;
    block_ = source_.next();
    return true;
  }
  [[nodiscard]] const std::uint8_t* block() const { return block_; }
  [[nodiscard]] Sha256Words* state() { return &state_; }
  /// The block went in; goes on to the next, of the next message if this one is done. False if all are.
  bool advance(Load& load) {
    block_ = source_.next();
    if (block_ != nullptr) return true;
    std::memcpy(out_->bytes.data(), state_.data(), sizeof state_);
    return begin(load);
  }

 private:
  Source source_;
  Sha256Words state_{};
  const std::uint8_t* block_ = nullptr;
  Hash256* out_ = nullptr;
};

template <typename Load>
void hash_side_by_side(Load load) {
  Lane<Load> a;
  Lane<Load> b;
  bool a_runs = a.begin(load);
  bool b_runs = b.begin(load);
  while (a_runs && b_runs) {
    sha256_compress<2>({a.state(), b.state()}, {a.block(), b.block()});
    a_runs = a.advance(load);
    b_runs = b.advance(load);
  }
  for (Lane<Load>& lane : {std::ref(a), std::ref(b)}) {
    bool runs = &lane == &a ? a_runs : b_runs;
    while (runs) {
      sha256_compress<1>({lane.state()}, {lane.block()});
      runs = lane.advance(load);
    }
  }
}

void hash_again_in_place(Hash256* hashes, std::size_t count) {
  for (; count >= 2; count -= 2, hashes += 2) sha256_in_place<2>(hashes);
  if (count == 1) sha256_in_place<1>(hashes);
}

#endif

}  // namespace

void sha256d_each(std::span<const PartedMessage> messages, Hash256* out, HashLanes lanes) {
#if defined(__x86_64__)
  static const bool kSideBySide = has_sha_instructions();
  if (lanes == HashLanes::Best && kSideBySide) {
    std::size_t next = 0;
    hash_side_by_side([&](Source& source, Hash256*& to) {
      if (next == messages.size()) return false;
      source.load(messages[next]);
      to = out + next++;
      return true;
    });
    return hash_again_in_place(out, messages.size());
  }
#endif
  hash_singly(messages, out);
}

void sha256d_neighbours(const Hash256* nodes, std::size_t pairs, Hash256* out, HashLanes lanes) {
#if defined(__x86_64__)
  static const bool kSideBySide = has_sha_instructions();
  if (lanes == HashLanes::Best && kSideBySide) {
    for (; pairs >= 2; pairs -= 2, nodes += 4, out += 2) sha256d_pairs<2>(nodes, out);
    if (pairs == 1) sha256d_pairs<1>(nodes, out);
    return;
  }
#endif
  hash_singly(nodes, pairs, out);
}

}  // namespace spv::util
