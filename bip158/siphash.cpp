#include "bip158/siphash.h"

namespace spv::bip158 {

Key Key::of(const chain::BlockHash& block) {
  return {detail::load_word(block.bytes.data()), detail::load_word(block.bytes.data() + 8)};
}

std::uint64_t siphash(const Key& key, util::ByteView data) {
  detail::SipState state(key);
  const std::size_t whole = data.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) state.absorb(detail::load_word(data.data() + i));
  std::uint64_t last = std::uint64_t{data.size()} << 56U;
  for (std::size_t i = whole; i < data.size(); ++i) last |= std::uint64_t{data[i]} << (8U * (i - whole));
  state.absorb(last);
  return state.finish();
}

}  // namespace spv::bip158
