#include "util/hash_batch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "util/hash.h"
#include "util/sha256_wide.h"
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

/// Messages that wait for others of as many blocks: sixteen of them are hashed side by side.
class WideBatch {
 public:
  static constexpr std::size_t kMostBlocks = 8;

  /// False if it is too long to be copied.
  bool take(const PartedMessage& message, Hash256* out) {
    const std::size_t size = message.first.size() + message.middle.size() + message.last.size();
    const std::size_t blocks = (size + kLeastPadding + kBlock - 1) / kBlock;
    if (blocks > kMostBlocks) return false;
    Group& group = groups_[blocks - 1];
    copy(message, size, slot(blocks, group.filled), blocks);
    group.outs[group.filled] = out;
    if (++group.filled == kWideLanes) hash(group, blocks);
    return true;
  }
  void finish() {
    for (std::size_t blocks = 1; blocks <= kMostBlocks; ++blocks) {
      Group& group = groups_[blocks - 1];
      if (group.filled > 0) hash(group, blocks);
    }
  }

 private:
  struct Group {
    std::array<Hash256*, kWideLanes> outs;
    std::size_t filled = 0;
  };

  /// The mark of the end and the length.
  static constexpr std::size_t kLeastPadding = 1 + 8;

  std::uint8_t* slot(std::size_t blocks, std::size_t lane) {
    const std::size_t groups_before = kWideLanes * (blocks - 1) * blocks / 2;
    return room_.data() + (groups_before + lane * blocks) * kBlock;
  }
  // Lanes without a message repeat the first.
  void hash(Group& group, std::size_t blocks) {
    std::array<const std::uint8_t*, kWideLanes> messages;
    for (std::size_t lane = 0; lane < kWideLanes; ++lane) {
      messages[lane] = slot(blocks, lane < group.filled ? lane : 0);
      if (lane >= group.filled) group.outs[lane] = group.outs[0];
    }
    sha256d_wide(messages, blocks, group.outs);
    group.filled = 0;
  }
  static std::uint8_t* append(ByteView part, std::uint8_t* to) {
    constexpr std::size_t kNumber = 4;  // a transaction's version or lock time: a copy of a fixed size is quicker
    if (part.size() == kNumber) {
      std::memcpy(to, part.data(), kNumber);
    } else if (!part.empty()) {
      std::memcpy(to, part.data(), part.size());
    }
    return to + part.size();
  }
  static void copy(const PartedMessage& message, std::size_t size, std::uint8_t* to, std::size_t blocks) {
    std::uint8_t* const end = to + blocks * kBlock;
    std::memset(end - kBlock, 0, kBlock);
    std::uint8_t* at = to;
    for (const ByteView part : {message.first, message.middle, message.last}) at = append(part, at);
    *at = 0x80;
    // The mark may be the last byte before the block of the length, or one of the few in front of that.
    if (end - at > static_cast<std::ptrdiff_t>(kBlock))
      std::memset(at + 1, 0, static_cast<std::size_t>(end - at) - kBlock);
    put_big_endian(8 * size, end - 8);
  }

  std::array<Group, kMostBlocks> groups_{};
  std::array<std::uint8_t, kWideLanes * kMostBlocks*(kMostBlocks + 1) / 2 * kBlock> room_;
};

void hash_two_by_two(std::span<const PartedMessage> messages, Hash256* out) {
  std::size_t next = 0;
  hash_side_by_side([&](Source& source, Hash256*& to) {
    if (next == messages.size()) return false;
    source.load(messages[next]);
    to = out + next++;
    return true;
  });
  hash_again_in_place(out, messages.size());
}

void hash_sixteen(std::span<const PartedMessage> messages, Hash256* out) {
  WideBatch batch;
  std::vector<PartedMessage> long_ones;
  std::vector<Hash256*> places;
  for (const auto& message : messages) {
    if (!batch.take(message, out)) {
      long_ones.push_back(message);
      places.push_back(out);
    }
    ++out;
  }
  batch.finish();
  std::vector<Hash256> hashes(long_ones.size());
  hash_two_by_two(long_ones, hashes.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) *places[i] = hashes[i];
}

/// How many messages can go through the processor side by side.
HashLanes lanes_of(HashLanes wanted) {
  static const bool kHasPairs = has_sha_instructions();
  static const bool kHasSixteen = kHasPairs && has_wide_sha256();
  return std::min(wanted, kHasSixteen ? HashLanes::Sixteen : kHasPairs ? HashLanes::Two : HashLanes::One);
}

#endif

}  // namespace

void sha256d_each(std::span<const PartedMessage> messages, Hash256* out, HashLanes most) {
#if defined(__x86_64__)
  const HashLanes lanes = lanes_of(most);
  if (lanes == HashLanes::Sixteen && messages.size() >= kWideLanes) return hash_sixteen(messages, out);
  if (lanes != HashLanes::One) return hash_two_by_two(messages, out);
#else
  static_cast<void>(most);
#endif
  hash_singly(messages, out);
}

void sha256d_neighbours(const Hash256* nodes, std::size_t pairs, Hash256* out, HashLanes most) {
#if defined(__x86_64__)
  const HashLanes lanes = lanes_of(most);
  if (lanes == HashLanes::One) return hash_singly(nodes, pairs, out);
  const auto fold = [&](std::size_t at_once, auto hash) {
    for (; pairs >= at_once; pairs -= at_once, nodes += 2 * at_once, out += at_once) hash(nodes, out);
  };
  if (lanes == HashLanes::Sixteen) fold(kWideLanes, sha256d_pairs_wide);
  fold(2, sha256d_pairs<2>);
  fold(1, sha256d_pairs<1>);
#else
  static_cast<void>(most);
  hash_singly(nodes, pairs, out);
#endif
}

}  // namespace spv::util
