#include "chain/block_walk.h"

#include "util/hash.h"

namespace spv::chain {

Txid TxView::txid() const {
  if (!has_witness) return util::retag<Txid>(util::sha256d(bytes));
  const auto parts = stripped();
  return util::retag<Txid>(util::Sha256().write(parts.first).write(parts.middle).write(parts.last).finish_double());
}

Wtxid TxView::wtxid() const { return util::retag<Wtxid>(util::sha256d(bytes)); }

namespace detail {

std::uint64_t Cursor::long_compact_size() {
  if (at_ == end_) {
    fail();
    return 0;
  }
  const std::uint8_t first = *at_++;
  const std::size_t bytes = std::size_t{2} << (first - 0xFDU);
  if (left() < bytes) {
    fail();
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{at_[i]} << (8 * i);
  at_ += bytes;
  const std::uint64_t smallest = bytes == 2 ? 0xFD : bytes == 4 ? 0x1'0000 : 0x1'0000'0000;
  if (value < smallest) fail();
  return ok_ ? value : 0;
}

void skip_witness(Cursor& in, std::uint64_t inputs) {
  bool any = false;
  for (std::uint64_t i = 0; i < inputs && in.ok(); ++i) {
    const std::uint64_t items = in.count(1);
    any = any || items > 0;
    for (std::uint64_t item = 0; item < items && in.ok(); ++item) in.skip(in.compact_size());
  }
  if (!any) in.fail();  // the extended form without a witness is not canonical
}

}  // namespace detail
}  // namespace spv::chain
