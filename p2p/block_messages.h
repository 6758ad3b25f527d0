// Messages that carry transactions of a block with their witness: block, and BIP152's getblocktxn and blocktxn.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/codec.h"

namespace spv::p2p {

/// A whole block, in place: what comes from a transport is a view of its buffer, good until the transport is used
/// again. Whether the body is transactions, whoever walks it finds out (chain::walk_block); here
/// it is only known not to say that it has none.
struct Block {
  static constexpr std::string_view kCommand = "block";
  chain::BlockHeader header;
  /// All behind the header: the count and the transactions.
  util::ByteView body;
  /// Keeps the body where it is not a view of a buffer.
  std::shared_ptr<const util::Bytes> kept{};

  /// A block that keeps its body itself.
  static Block owning(const chain::BlockHeader& header, util::Bytes body);
  void encode(util::Writer& out) const;
  static Block decode(util::Reader& in);
  friend bool operator==(const Block& a, const Block& b);
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
