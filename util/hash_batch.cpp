#include "util/hash_batch.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "util/hash.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

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
using Words = std::array<std::uint32_t, 8>;

constexpr Words kStart = {0x6A09'E667, 0xBB67'AE85, 0x3C6E'F372, 0xA54F'F53A,
                          0x510E'527F, 0x9B05'688C, 0x1F83'D9AB, 0x5BE0'CD19};
alignas(16) constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428A'2F98, 0x7137'4491, 0xB5C0'FBCF, 0xE9B5'DBA5, 0x3956'C25B, 0x59F1'11F1, 0x923F'82A4, 0xAB1C'5ED5,
    0xD807'AA98, 0x1283'5B01, 0x2431'85BE, 0x550C'7DC3, 0x72BE'5D74, 0x80DE'B1FE, 0x9BDC'06A7, 0xC19B'F174,
    0xE49B'69C1, 0xEFBE'4786, 0x0FC1'9DC6, 0x240C'A1CC, 0x2DE9'2C6F, 0x4A74'84AA, 0x5CB0'A9DC, 0x76F9'88DA,
    0x983E'5152, 0xA831'C66D, 0xB003'27C8, 0xBF59'7FC7, 0xC6E0'0BF3, 0xD5A7'9147, 0x06CA'6351, 0x1429'2967,
    0x27B7'0A85, 0x2E1B'2138, 0x4D2C'6DFC, 0x5338'0D13, 0x650A'7354, 0x766A'0ABB, 0x81C2'C92E, 0x9272'2C85,
    0xA2BF'E8A1, 0xA81A'664B, 0xC24B'8B70, 0xC76C'51A3, 0xD192'E819, 0xD699'0624, 0xF40E'3585, 0x106A'A070,
    0x19A4'C116, 0x1E37'6C08, 0x2748'774C, 0x34B0'BCB5, 0x391C'0CB3, 0x4ED8'AA4A, 0x5B9C'CA4F, 0x682E'6FF3,
    0x748F'82EE, 0x78A5'636F, 0x84C8'7814, 0x8CC7'0208, 0x90BE'FFFA, 0xA450'6CEB, 0xBEF9'A3F7, 0xC671'78F2,
};

bool has_sha_instructions() {
  constexpr unsigned kSha = 1U << 29U;
  constexpr unsigned kSse41 = 1U << 19U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

void put_big_endian(std::uint64_t value, std::uint8_t* out) {
  const std::uint64_t big = __builtin_bswap64(value);
  std::memcpy(out, &big, sizeof big);
}

/// What follows a message of one block: the end mark and its length of 512 bits.
constexpr Block kPaddingOfABlock = [] {
  Block padding{};
  padding[0] = 0x80;
  padding[kBlock - 2] = 0x02;
  return padding;
}();

/// The block that holds a hash, behind the room for it: the end mark and its length of 256 bits.
constexpr Block kDigestBlock = [] {
  Block block{};
  block[Hash256::kSize] = 0x80;
  block[kBlock - 2] = 0x01;
  return block;
}();

void store(const Words& digest, std::uint8_t* out) {
  Words big;
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = __builtin_bswap32(digest[i]);
  std::memcpy(out, big.data(), sizeof big);
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
  /// The second time: over the hash of the first.
  void load(const Words& digest) {
    has_head_ = false;
    inside_ = 0;
    store(digest, digest_.data());
    end_ = digest_.data();
    end_blocks_ = 1;
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
  Block digest_ = kDigestBlock;
};

/// One block into each of N states. The instructions want the eight words as (a b e f) and (c d g h).
template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void compress(std::array<Words*, N> states,
                                                    std::array<const std::uint8_t*, N> blocks) {
  const __m128i swap = _mm_set_epi64x(0x0C0D0E0F'08090A0B, 0x04050607'00010203);
  __m128i abef[N];
  __m128i cdgh[N];
  __m128i w[N][4];
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  for (std::size_t n = 0; n < N; ++n) {
    const __m128i cdab = _mm_shuffle_epi32(load(states[n]->data()), 0xB1);
    const __m128i efgh = _mm_shuffle_epi32(load(states[n]->data() + 4), 0x1B);
    abef[n] = _mm_alignr_epi8(cdab, efgh, 8);
    cdgh[n] = _mm_blend_epi16(efgh, cdab, 0xF0);
    for (std::size_t i = 0; i < 4; ++i) w[n][i] = _mm_shuffle_epi8(load(blocks[n] + 16 * i), swap);
  }
  __m128i abef_before[N];
  __m128i cdgh_before[N];
  for (std::size_t n = 0; n < N; ++n) {
    abef_before[n] = abef[n];
    cdgh_before[n] = cdgh[n];
  }
#pragma GCC unroll 16
  for (std::size_t group = 0; group < 16; ++group) {
    const __m128i k = _mm_load_si128(reinterpret_cast<const __m128i*>(kRounds.data() + 4 * group));
#pragma GCC unroll 2
    for (std::size_t n = 0; n < N; ++n) {
      const __m128i words = _mm_add_epi32(w[n][group % 4], k);
      cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], words);
      abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], _mm_shuffle_epi32(words, 0x0E));
      if (group >= 12) continue;
      const __m128i last = w[n][(group + 3) % 4];
      const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[n][group % 4], w[n][(group + 1) % 4]),
                                        _mm_alignr_epi8(last, w[n][(group + 2) % 4], 4));
      w[n][group % 4] = _mm_sha256msg2_epu32(sum, last);
    }
  }
  for (std::size_t n = 0; n < N; ++n) {
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef[n], abef_before[n]), 0x1B);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh[n], cdgh_before[n]), 0xB1);
    auto* const out = reinterpret_cast<__m128i*>(states[n]->data());
    _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
  }
}

/// One place at which a message is hashed, twice, block by block.
template <typename Load>
class Lane {
 public:
  /// Takes the next message; false if there is none.
  bool begin(Load& load) {
    if (!load(source_, out_)) return false;
    state_ = kStart;
    second_ = false;
    block_ = source_.next();
    return true;
  }
  [[nodiscard]] const std::uint8_t* block() const { return block_; }
  [[nodiscard]] Words* state() { return &state_; }
  /// The block went in; goes on to the next, of the next message if this one is done. False if all are.
  bool advance(Load& load) {
    block_ = source_.next();
    if (block_ != nullptr) return true;
    if (second_) {
      store(state_, out_->bytes.data());
      return begin(load);
    }
    source_.load(state_);
    state_ = kStart;
    second_ = true;
    block_ = source_.next();
    return true;
  }

 private:
  Source source_;
  Words state_{};
  const std::uint8_t* block_ = nullptr;
  Hash256* out_ = nullptr;
  bool second_ = false;
};

template <typename Load>
void hash_side_by_side(Load load) {
  Lane<Load> a;
  Lane<Load> b;
  bool a_runs = a.begin(load);
  bool b_runs = b.begin(load);
  while (a_runs && b_runs) {
    compress<2>({a.state(), b.state()}, {a.block(), b.block()});
    a_runs = a.advance(load);
    b_runs = b.advance(load);
  }
  for (Lane<Load>& lane : {std::ref(a), std::ref(b)}) {
    bool runs = &lane == &a ? a_runs : b_runs;
    while (runs) {
      compress<1>({lane.state()}, {lane.block()});
      runs = lane.advance(load);
    }
  }
}

/// N pairs of neighbours at once: one block of theirs, one of padding, and the hash of both.
template <std::size_t N>
void hash_neighbours(const Hash256* nodes, Hash256* out) {
  std::array<Words, N> states;
  std::array<Block, N> digests;
  std::array<Words*, N> into;
  std::array<const std::uint8_t*, N> pairs;
  std::array<const std::uint8_t*, N> padding;
  std::array<const std::uint8_t*, N> seconds;
  for (std::size_t n = 0; n < N; ++n) {
    states[n] = kStart;
    digests[n] = kDigestBlock;
    into[n] = &states[n];
    pairs[n] = nodes[2 * n].bytes.data();
    padding[n] = kPaddingOfABlock.data();
    seconds[n] = digests[n].data();
  }
  compress<N>(into, pairs);
  compress<N>(into, padding);
  for (std::size_t n = 0; n < N; ++n) store(std::exchange(states[n], kStart), digests[n].data());
  compress<N>(into, seconds);
  for (std::size_t n = 0; n < N; ++n) store(states[n], out[n].bytes.data());
}

#endif

}  // namespace

void sha256d_each(std::span<const PartedMessage> messages, Hash256* out, HashLanes lanes) {
#if defined(__x86_64__)
  static const bool kSideBySide = has_sha_instructions();
  if (lanes == HashLanes::Best && kSideBySide) {
    std::size_t next = 0;
    return hash_side_by_side([&](Source& source, Hash256*& to) {
      if (next == messages.size()) return false;
      source.load(messages[next]);
      to = out + next++;
      return true;
    });
  }
#endif
  hash_singly(messages, out);
}

void sha256d_neighbours(const Hash256* nodes, std::size_t pairs, Hash256* out, HashLanes lanes) {
#if defined(__x86_64__)
  static const bool kSideBySide = has_sha_instructions();
  if (lanes == HashLanes::Best && kSideBySide) {
    for (; pairs >= 2; pairs -= 2, nodes += 4, out += 2) hash_neighbours<2>(nodes, out);
    if (pairs == 1) hash_neighbours<1>(nodes, out);
    return;
  }
#endif
  hash_singly(nodes, pairs, out);
}

}  // namespace spv::util
