#include "util/sha256_x86.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include "util/sha256_constants.h"

namespace spv::util {
namespace {

#define SPV_SHA __attribute__((target("sha,sse4.1"), always_inline)) inline

SPV_SHA __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
SPV_SHA __m128i load_round(const std::array<std::uint32_t, 64>& rounds, std::size_t group) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(rounds.data() + 4 * group));
}
/// Between the bytes of a message and the words of the processor.
SPV_SHA __m128i swap_words(__m128i words) {
  return _mm_shuffle_epi8(words, _mm_set_epi64x(0x0C0D0E0F'08090A0B, 0x04050607'00010203));
}

/// N hashes under way. The instructions want the eight words as (a b e f) and (c d g h).
template <std::size_t N>
struct States {
  __m128i abef[N];
  __m128i cdgh[N];
};
/// The sixteen words of a block for each of them.
template <std::size_t N>
struct Schedules {
  __m128i words[N][4];
};

SPV_SHA void load_state(const Sha256Words& from, __m128i& abef, __m128i& cdgh) {
  const __m128i cdab = _mm_shuffle_epi32(load(from.data()), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(from.data() + 4), 0x1B);
  abef = _mm_alignr_epi8(cdab, efgh, 8);
  cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
}
/// (a b c d) and (e f g h).
SPV_SHA void words_of(__m128i abef, __m128i cdgh, __m128i& first, __m128i& second) {
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  first = _mm_blend_epi16(feba, dchg, 0xF0);
  second = _mm_alignr_epi8(dchg, feba, 8);
}
SPV_SHA void store(__m128i first, __m128i second, void* out) {
  _mm_storeu_si128(static_cast<__m128i*>(out), first);
  _mm_storeu_si128(static_cast<__m128i*>(out) + 1, second);
}

template <std::size_t N>
SPV_SHA void add(States<N>& to, const States<N>& other) {
  for (std::size_t n = 0; n < N; ++n) {
    to.abef[n] = _mm_add_epi32(to.abef[n], other.abef[n]);
    to.cdgh[n] = _mm_add_epi32(to.cdgh[n], other.cdgh[n]);
  }
}
SPV_SHA void four_rounds(__m128i& abef, __m128i& cdgh, __m128i words) {
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
}

/// One block into each of N states.
template <std::size_t N>
SPV_SHA void compress(States<N>& states, Schedules<N> block) {
  const States<N> before = states;
#pragma GCC unroll 16
  for (std::size_t group = 0; group < 16; ++group) {
    const __m128i k = load_round(kSha256Rounds, group);
#pragma GCC unroll 2
    for (std::size_t n = 0; n < N; ++n) {
      auto& w = block.words[n];
      four_rounds(states.abef[n], states.cdgh[n], _mm_add_epi32(w[group % 4], k));
      if (group >= 12) continue;
      const __m128i last = w[(group + 3) % 4];
      const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[group % 4], w[(group + 1) % 4]),
                                        _mm_alignr_epi8(last, w[(group + 2) % 4], 4));
      w[group % 4] = _mm_sha256msg2_epu32(sum, last);
    }
  }
  add(states, before);
}

/// The padding of a message of one block into each of N states.
template <std::size_t N>
SPV_SHA void compress_padding(States<N>& states) {
  const States<N> before = states;
#pragma GCC unroll 16
  for (std::size_t group = 0; group < 16; ++group) {
    const __m128i words = load_round(kSha256PaddingRounds, group);
#pragma GCC unroll 2
    for (std::size_t n = 0; n < N; ++n) four_rounds(states.abef[n], states.cdgh[n], words);
  }
  add(states, before);
}

template <std::size_t N>
SPV_SHA States<N> fresh_states() {
  States<N> states;
  for (std::size_t n = 0; n < N; ++n) load_state(kSha256Start, states.abef[n], states.cdgh[n]);
  return states;
}

/// Hashes N hashes, given as words (a b c d) and (e f g h) in front of each schedule.
template <std::size_t N>
SPV_SHA void hash_again(Schedules<N>& firsts, Hash256* out) {
  for (std::size_t n = 0; n < N; ++n) {
    firsts.words[n][2] = _mm_set_epi32(0, 0, 0, static_cast<int>(0x8000'0000));
    firsts.words[n][3] = _mm_set_epi32(256, 0, 0, 0);
  }
  States<N> states = fresh_states<N>();
  compress(states, firsts);
  for (std::size_t n = 0; n < N; ++n) {
    __m128i first;
    __m128i second;
    words_of(states.abef[n], states.cdgh[n], first, second);
    store(swap_words(first), swap_words(second), out[n].bytes.data());
  }
}

}  // namespace

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

template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256_compress(std::array<Sha256Words*, N> into,
                                                           std::array<const std::uint8_t*, N> blocks) {
  States<N> states;
  Schedules<N> schedules;
  for (std::size_t n = 0; n < N; ++n) {
    load_state(*into[n], states.abef[n], states.cdgh[n]);
    for (std::size_t i = 0; i < 4; ++i) schedules.words[n][i] = swap_words(load(blocks[n] + 16 * i));
  }
  compress(states, schedules);
  for (std::size_t n = 0; n < N; ++n) {
    __m128i first;
    __m128i second;
    words_of(states.abef[n], states.cdgh[n], first, second);
    store(first, second, into[n]->data());
  }
}

template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256_in_place(Hash256* hashes) {
  Schedules<N> schedules;
  for (std::size_t n = 0; n < N; ++n) {
    schedules.words[n][0] = load(hashes[n].bytes.data());
    schedules.words[n][1] = load(hashes[n].bytes.data() + 16);
  }
  hash_again(schedules, hashes);
}

template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256d_pairs(const Hash256* nodes, Hash256* out) {
  States<N> states = fresh_states<N>();
  Schedules<N> schedules;
  for (std::size_t n = 0; n < N; ++n) {
    for (std::size_t i = 0; i < 4; ++i) {
      schedules.words[n][i] = swap_words(load(nodes[2 * n + i / 2].bytes.data() + 16 * (i % 2)));
    }
  }
  compress(states, schedules);
  compress_padding(states);
  for (std::size_t n = 0; n < N; ++n) {
    words_of(states.abef[n], states.cdgh[n], schedules.words[n][0], schedules.words[n][1]);
  }
  hash_again(schedules, out);
}

template void sha256_compress<1>(std::array<Sha256Words*, 1>, std::array<const std::uint8_t*, 1>);
template void sha256_compress<2>(std::array<Sha256Words*, 2>, std::array<const std::uint8_t*, 2>);
template void sha256_in_place<1>(Hash256*);
template void sha256_in_place<2>(Hash256*);
template void sha256d_pairs<1>(const Hash256*, Hash256*);
template void sha256d_pairs<2>(const Hash256*, Hash256*);

}  // namespace spv::util

#undef SPV_SHA
#endif
