// What SHA-256 is made of (FIPS 180-4), for the implementations by instructions of the processor.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace spv::util {

/// The state of a hash, in words of the processor.
using Sha256Words = std::array<std::uint32_t, 8>;

/// The state before the first block.
inline constexpr Sha256Words kSha256Start = {0x6A09'E667, 0xBB67'AE85, 0x3C6E'F372, 0xA54F'F53A,
                                             0x510E'527F, 0x9B05'688C, 0x1F83'D9AB, 0x5BE0'CD19};

alignas(64) inline constexpr std::array<std::uint32_t, 64> kSha256Rounds = {
    0x428A'2F98, 0x7137'4491, 0xB5C0'FBCF, 0xE9B5'DBA5, 0x3956'C25B, 0x59F1'11F1, 0x923F'82A4, 0xAB1C'5ED5,
    0xD807'AA98, 0x1283'5B01, 0x2431'85BE, 0x550C'7DC3, 0x72BE'5D74, 0x80DE'B1FE, 0x9BDC'06A7, 0xC19B'F174,
    0xE49B'69C1, 0xEFBE'4786, 0x0FC1'9DC6, 0x240C'A1CC, 0x2DE9'2C6F, 0x4A74'84AA, 0x5CB0'A9DC, 0x76F9'88DA,
    0x983E'5152, 0xA831'C66D, 0xB003'27C8, 0xBF59'7FC7, 0xC6E0'0BF3, 0xD5A7'9147, 0x06CA'6351, 0x1429'2967,
    0x27B7'0A85, 0x2E1B'2138, 0x4D2C'6DFC, 0x5338'0D13, 0x650A'7354, 0x766A'0ABB, 0x81C2'C92E, 0x9272'2C85,
    0xA2BF'E8A1, 0xA81A'664B, 0xC24B'8B70, 0xC76C'51A3, 0xD192'E819, 0xD699'0624, 0xF40E'3585, 0x106A'A070,
    0x19A4'C116, 0x1E37'6C08, 0x2748'774C, 0x34B0'BCB5, 0x391C'0CB3, 0x4ED8'AA4A, 0x5B9C'CA4F, 0x682E'6FF3,
    0x748F'82EE, 0x78A5'636F, 0x84C8'7814, 0x8CC7'0208, 0x90BE'FFFA, 0xA450'6CEB, 0xBEF9'A3F7, 0xC671'78F2,
};

/// Schedule and round constants together of the block that follows a message of one block: the end mark and its length
/// of 512 bits. It is the same for all.
alignas(64) inline constexpr std::array<std::uint32_t, 64> kSha256PaddingRounds = [] {
  std::array<std::uint32_t, 64> w{};
  w[0] = 0x8000'0000;
  w[15] = 512;
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3U;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10U;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  for (std::size_t i = 0; i < w.size(); ++i) w[i] += kSha256Rounds[i];
  return w;
}();

}  // namespace spv::util
