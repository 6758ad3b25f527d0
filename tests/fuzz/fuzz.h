// A fuzz target is one file with one SPV_FUZZ_TARGET: a function of any bytes that stops the program where a promise
// does not hold. Built with libFuzzer (scripts/fuzz), and into one program that replays the corpora in every test run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "util/bytes.h"
#include "util/codec.h"
#include "util/ensure.h"

namespace spv::fuzz {

using TargetFunction = void (*)(util::ByteView);

/// Puts a target into the table of the replay program.
bool register_target(const char* name, TargetFunction target);

/// Cuts small choices and pieces from the input; when it is used up everything is zero and empty.
class Input {
 public:
  explicit Input(util::ByteView bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    const auto piece = take(1);
    return piece.empty() ? std::uint8_t{0} : piece[0];
  }
  std::uint16_t word() { return static_cast<std::uint16_t>(byte() | (byte() << 8U)); }
  std::uint32_t number() { return word() | (std::uint32_t{word()} << 16U); }
  /// In [0, bound); bound is 1 to 65,536.
  std::size_t below(std::size_t bound) { return bound <= 256 ? byte() % bound : word() % bound; }
  bool chance() { return (byte() & 1U) != 0; }
  /// At most `size` bytes.
  util::ByteView take(std::size_t size) {
    const auto piece = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return piece;
  }
  /// A piece behind a byte that says how long it is.
  util::ByteView piece() { return take(byte()); }
  [[nodiscard]] util::ByteView rest() const { return rest_; }

 private:
  util::ByteView rest_;
};

}  // namespace spv::fuzz

#ifdef SPV_FUZZ_REPLAY
#define SPV_FUZZ_TARGET(name, input)                                                                       \
  static void fuzz_##name(::spv::util::ByteView);                                                          \
  [[maybe_unused]] static const bool registered_##name = ::spv::fuzz::register_target(#name, fuzz_##name); \
  static void fuzz_##name([[maybe_unused]] ::spv::util::ByteView input)
#else
#define SPV_FUZZ_TARGET(name, input)                                                  \
  static void fuzz_##name(::spv::util::ByteView);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    fuzz_##name({data, size});                                                        \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name([[maybe_unused]] ::spv::util::ByteView input)
#endif
