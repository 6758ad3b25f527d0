// Walks the transactions of a block where they lie in its bytes: nothing is copied and nothing allocated. Strict, as
// Transaction::decode is: what passes decodes, one transaction after another, to the last byte.
#pragma once

#include <cstdint>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/hash_batch.h"

namespace spv::chain {

/// A transaction where it lies.
struct TxView {
  util::ByteView bytes;  // as it came, with its witness if it has one
  util::ByteView core;   // inputs and outputs with their counts: all but version, witness and lock time
  bool has_witness = false;

  /// All that the txid covers.
  [[nodiscard]] util::PartedMessage stripped() const {
    if (!has_witness) return {{}, bytes, {}};
    return {bytes.first(4), core, bytes.last(4)};
  }
  [[nodiscard]] Txid txid() const;
  [[nodiscard]] Wtxid wtxid() const;
};

namespace detail {

/// Reads forward; a failure is sticky and leaves nothing to read.
class Cursor {
 public:
  explicit Cursor(util::ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    at_ = end_;
  }
  const std::uint8_t* skip(std::uint64_t size) {
    const std::uint8_t* const here = at_;
    if (size > left()) {
      fail();
    } else {
      at_ += size;
    }
    return here;
  }
  /// A CompactSize in its shortest form.
  std::uint64_t compact_size() {
    if (at_ < end_ && *at_ < 0xFD) [[likely]] {
      return *at_++;
    }
    return long_compact_size();
  }
  /// A count of items that take at least so many bytes each.
  std::uint64_t count(std::size_t item_size) {
    const std::uint64_t items = compact_size();
    if (items > left() / item_size) fail();
    return ok_ ? items : 0;
  }

 private:
  std::uint64_t long_compact_size();

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool ok_ = true;
};

void skip_witness(Cursor& in, std::uint64_t inputs);

}  // namespace detail

/// Calls on_output(script), on_input(outpoint's 36 bytes) for each in its order, and on_tx(TxView) behind those of each
/// transaction. False if the body is no list of transactions; what was called until then means nothing.
template <typename OnInput, typename OnOutput, typename OnTx>
bool walk_block(util::ByteView body, OnInput on_input, OnOutput on_output, OnTx on_tx) {
  constexpr std::size_t kMinInput = OutPoint::kSize + 1 + 4;
  constexpr std::size_t kMinOutput = 8 + 1;
  constexpr std::size_t kMinTx = 4 + 1 + kMinInput + 1 + 4;
  detail::Cursor in(body);
  const std::uint64_t transactions = in.count(kMinTx);
  if (transactions == 0) return false;
  for (std::uint64_t n = 0; n < transactions && in.ok(); ++n) {
    const std::uint8_t* const begin = in.skip(4);
    TxView tx;
    tx.has_witness = in.left() > 0 && *in.at() == 0;  // no inputs: the marker of BIP144
    if (tx.has_witness && (in.left() < 2 || in.skip(2)[1] != 1)) return false;
    const std::uint8_t* const core = in.at();
    const std::uint64_t inputs = in.count(kMinInput);
    if (inputs == 0) return false;
    for (std::uint64_t i = 0; i < inputs && in.ok(); ++i) {
      const std::uint8_t* const outpoint = in.skip(OutPoint::kSize);
      in.skip(in.compact_size());
      in.skip(4);
      if (in.ok()) on_input(util::ByteView(outpoint, OutPoint::kSize));
    }
    const std::uint64_t outputs = in.count(kMinOutput);
    for (std::uint64_t i = 0; i < outputs && in.ok(); ++i) {
      in.skip(8);
      const std::uint64_t size = in.compact_size();
      const std::uint8_t* const script = in.skip(size);
      if (in.ok()) on_output(util::ByteView(script, static_cast<std::size_t>(size)));
    }
    tx.core = {core, in.at()};
    if (tx.has_witness) detail::skip_witness(in, inputs);
    in.skip(4);
    tx.bytes = {begin, in.at()};
    if (in.ok()) on_tx(tx);
  }
  return in.ok() && in.left() == 0;
}

}  // namespace spv::chain
