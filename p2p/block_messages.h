// Messages that carry transactions of a block with their witness: block, and BIP152's getblocktxn and blocktxn.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/codec.h"

namespace spv::p2p {

/// A whole block: its bytes are known to be transactions, and are kept as they came.
struct Block {
  static constexpr std::string_view kCommand = "block";
  chain::BlockHeader header;
  /// All behind the header: the count and the transactions.
  util::Bytes body;

  void encode(util::Writer& out) const;
  static Block decode(util::Reader& in);
  /// All of them, in order. The body must be what decode() took.
  [[nodiscard]] std::vector<chain::Transaction> transactions() const;
  friend bool operator==(const Block&, const Block&) = default;
};
struct GetBlockTxn {
  static constexpr std::string_view kCommand = "getblocktxn";
  chain::BlockHash block;
  /// Ascending places in the block.
  std::vector<std::uint16_t> indexes;

  void encode(util::Writer& out) const;
  static GetBlockTxn decode(util::Reader& in);
  friend bool operator==(const GetBlockTxn&, const GetBlockTxn&) = default;
};
struct BlockTxn {
  static constexpr std::string_view kCommand = "blocktxn";
  chain::BlockHash block;
  std::vector<chain::Transaction> transactions;

  void encode(util::Writer& out) const;
  static BlockTxn decode(util::Reader& in);
  friend bool operator==(const BlockTxn&, const BlockTxn&) = default;
};

}  // namespace spv::p2p
