#include "util/sha256_wide.h"

#if defined(__x86_64__)

// GCC 12 takes the undefined values in its own header for a mistake of ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace spv::util {
namespace wide {
namespace {

#define SPV_WIDE_TARGET __attribute__((target("avx512f,avx512bw")))
#define SPV_WIDE __attribute__((target("avx512f,avx512bw"), always_inline)) inline

/// One word of each lane.
using Words = __m512i;
struct State {
  Words words[8];
};
struct Block {
  Words words[16];
};

SPV_WIDE Words of_all(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
SPV_WIDE Words plus(Words a, Words b) { return _mm512_add_epi32(a, b); }
/// Between the bytes of a message and the words of the processor.
SPV_WIDE Words swap_words(Words words) {
  return _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(_mm_set_epi64x(0x0C0D0E0F'08090A0B, 0x04050607'00010203)));
}

constexpr int kParity = 0x96;    // a ^ b ^ c
constexpr int kChoice = 0xCA;    // a ? b : c
constexpr int kMajority = 0xE8;  // what two of three have

SPV_WIDE Words big_sigma0(Words a) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(a, 2), _mm512_ror_epi32(a, 13), _mm512_ror_epi32(a, 22), kParity);
}
SPV_WIDE Words big_sigma1(Words e) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(e, 6), _mm512_ror_epi32(e, 11), _mm512_ror_epi32(e, 25), kParity);
}
SPV_WIDE Words small_sigma0(Words w) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(w, 7), _mm512_ror_epi32(w, 18), _mm512_srli_epi32(w, 3), kParity);
}
SPV_WIDE Words small_sigma1(Words w) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(w, 17), _mm512_ror_epi32(w, 19), _mm512_srli_epi32(w, 10), kParity);
}

SPV_WIDE State fresh_state() {
  State state;
  for (std::size_t i = 0; i < 8; ++i) state.words[i] = of_all(kSha256Start[i]);
  return state;
}

/// Round i, with the sum of its word and its constant. The eight words change places from round to round. Each round
/// waits for the last one's `a` and `e`: the sums are in the order that makes the way from these the shortest.
SPV_WIDE void round(State& state, std::size_t i, Words word_and_constant) {
  const auto at = [i](std::size_t place) { return (64 + place - i) % 8; };
  Words* const s = state.words;
  const Words known = plus(s[at(7)], word_and_constant);
  const Words e = s[at(4)];
  const Words choice = _mm512_ternarylogic_epi32(e, s[at(5)], s[at(6)], kChoice);
  const Words sigma1 = big_sigma1(e);
  Words partly = plus(known, choice);
  asm("" : "+v"(partly));
  const Words first = plus(partly, sigma1);
  const Words a = s[at(0)];
  const Words majority = _mm512_ternarylogic_epi32(a, s[at(1)], s[at(2)], kMajority);
  s[at(7)] = plus(plus(first, majority), big_sigma0(a));
  s[at(3)] = plus(plus(s[at(3)], partly), sigma1);
}

SPV_WIDE void add(State& to, const State& other) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i) to.words[i] = plus(to.words[i], other.words[i]);
}

SPV_WIDE void compress(State& state, Block block) {
  const State before = state;
  Words* const w = block.words;
#pragma GCC unroll 64
  for (std::size_t i = 0; i < 64; ++i) {
    if (i >= 16) {
      const Words sum = plus(small_sigma1(w[(i - 2) % 16]), small_sigma0(w[(i - 15) % 16]));
      w[i % 16] = plus(w[i % 16], plus(w[(i - 7) % 16], sum));
    }
    round(state, i, plus(w[i % 16], of_all(kSha256Rounds[i])));
  }
  add(state, before);
}

/// The padding of a message of one block.
SPV_WIDE void compress_padding(State& state) {
  const State before = state;
#pragma GCC unroll 64
  for (std::size_t i = 0; i < 64; ++i) round(state, i, of_all(kSha256PaddingRounds[i]));
  add(state, before);
}

/// The hash of hashes given by their words, by its words.
SPV_WIDE State hash_of(const State& firsts) {
  Block block;
  for (std::size_t i = 0; i < 8; ++i) block.words[i] = firsts.words[i];
  block.words[8] = of_all(0x8000'0000);
  for (std::size_t i = 9; i < 15; ++i) block.words[i] = of_all(0);
  block.words[15] = of_all(256);
  State state = fresh_state();
  compress(state, block);
  return state;
}

/// Rows become columns: word j of lane i is word i of lane j afterwards.
SPV_WIDE void transpose(Block& block) {
  Words* const rows = block.words;
  Words pairs[16];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  Words fours[16];  // fours[4 * k + j]: of rows 4k to 4k + 3 the words j, j + 4, j + 8, j + 12
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < 4; ++j) {
    const Words low_even = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0x88);        // words j, j + 8 of rows 0 to 7
    const Words low_odd = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0xDD);         // words j + 4, j + 12
    const Words high_even = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0x88);  // the same of rows 8 to 15
    const Words high_odd = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0xDD);
    rows[j] = _mm512_shuffle_i32x4(low_even, high_even, 0x88);
    rows[j + 8] = _mm512_shuffle_i32x4(low_even, high_even, 0xDD);
    rows[j + 4] = _mm512_shuffle_i32x4(low_odd, high_odd, 0x88);
    rows[j + 12] = _mm512_shuffle_i32x4(low_odd, high_odd, 0xDD);
  }
}

/// Of 64 bytes of each lane the words.
template <typename Address>
SPV_WIDE Block load(Address address_of) {
  Block block;
#pragma GCC unroll 16
  for (std::size_t lane = 0; lane < kWideLanes; ++lane) {
    block.words[lane] = swap_words(_mm512_loadu_si512(address_of(lane)));
  }
  transpose(block);
  return block;
}

template <typename Place>
SPV_WIDE void store_hashes(const State& state, Place place_of) {
  Block rows;
  for (std::size_t i = 0; i < 8; ++i) rows.words[i] = state.words[i];
  for (std::size_t i = 8; i < 16; ++i) rows.words[i] = _mm512_setzero_si512();
  transpose(rows);
#pragma GCC unroll 16
  for (std::size_t lane = 0; lane < kWideLanes; ++lane) {
    const __m256i hash = _mm512_castsi512_si256(swap_words(rows.words[lane]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(place_of(lane)->bytes.data()), hash);
  }
}

}  // namespace
}  // namespace wide

bool has_wide_sha256() { return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0; }

SPV_WIDE_TARGET void sha256d_wide(const std::array<const std::uint8_t*, kWideLanes>& messages, std::size_t blocks,
                                  const std::array<Hash256*, kWideLanes>& out) {
  constexpr std::size_t kBlockBytes = 64;
  wide::State state = wide::fresh_state();
  for (std::size_t i = 0; i < blocks; ++i) {
    wide::compress(state, wide::load([&](std::size_t lane) { return messages[lane] + i * kBlockBytes; }));
  }
  wide::store_hashes(wide::hash_of(state), [&](std::size_t lane) { return out[lane]; });
}

SPV_WIDE_TARGET void sha256d_pairs_wide(const Hash256* nodes, Hash256* out) {
  wide::State state = wide::fresh_state();
  wide::compress(state, wide::load([&](std::size_t lane) { return nodes[2 * lane].bytes.data(); }));
  wide::compress_padding(state);
  wide::store_hashes(wide::hash_of(state), [&](std::size_t lane) { return out + lane; });
}

}  // namespace spv::util

#undef SPV_WIDE
#undef SPV_WIDE_TARGET
#pragma GCC diagnostic pop
#endif
