// ChainBuilder: valid regtest chains with real (trivial) proof of work, block by block:
//   auto chain = ChainBuilder().blocks(10).pays(script, 5'000).block({tx1, tx2});
//   auto other = chain.at_height(5).blocks(20);   // a fork: it shares the first five blocks
// A value: copies share the blocks. The same steps give the same chain in every run.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"

namespace spv::test {

/// A whole block with the hashes that everybody asks for.
struct Block {
  chain::Height height = 0;
  chain::BlockHash hash;
  chain::BlockHeader header;
  std::vector<chain::Transaction> txs;  // the coinbase first
  std::vector<chain::Txid> txids;

  /// Wire form, as `submitblock` takes it.
  [[nodiscard]] util::Bytes serialize() const;
};

class ChainBuilder {
 public:
  static constexpr std::uint32_t kDefaultTimeStep = 600;

  /// Only the genesis block.
  ChainBuilder();

  /// Adds a block with a coinbase and these transactions (and the witness commitment if they need one).
  ChainBuilder& block(std::vector<chain::Transaction> txs);
  ChainBuilder& block() { return block(std::vector<chain::Transaction>{}); }
  /// Adds empty blocks.
  ChainBuilder& blocks(int count);
  /// Adds a block with a payment from nowhere to this script.
  ChainBuilder& pays(util::ByteView script, chain::Amount amount);

  /// Seconds from one block to the next, from now on.
  ChainBuilder& time_step(std::uint32_t seconds);
  /// The time of the next block; those after it follow by the step.
  ChainBuilder& next_time(std::uint32_t time);
  /// Blocks with another salt have other coinbases: for a third branch from the same height.
  ChainBuilder& salt(std::uint64_t salt);
  /// Where coinbases pay to, from now on (default: anyone can spend).
  ChainBuilder& coinbase_script(util::ByteView script);

  /// This chain cut off above `height`; what is built on it differs from what was cut off.
  [[nodiscard]] ChainBuilder at_height(chain::Height height) const;

  [[nodiscard]] chain::Height height() const { return static_cast<chain::Height>(blocks_.size()) - 1; }
  [[nodiscard]] chain::BlockRef tip() const;
  [[nodiscard]] const Block& tip_block() const { return *blocks_.back(); }
  /// The block at 0 <= height <= height(). (A template, so that block({}) means an empty list.)
  template <std::integral Int>
  [[nodiscard]] const Block& block(Int height) const {
    return *shared(static_cast<chain::Height>(height));
  }
  [[nodiscard]] const std::shared_ptr<const Block>& shared(chain::Height height) const;
  [[nodiscard]] const chain::BlockHeader& header(chain::Height height) const { return block(height).header; }
  /// Headers of `first` and up, at most `count`.
  [[nodiscard]] std::vector<chain::BlockHeader> headers(chain::Height first = 1, std::size_t count = SIZE_MAX) const;
  /// Height of a block of this chain; searched from the tip.
  [[nodiscard]] std::optional<chain::Height> find(const chain::BlockHash& hash) const;
  [[nodiscard]] bool contains(const chain::BlockRef& block) const;
  /// The height of the last block that both chains have.
  [[nodiscard]] chain::Height fork_height(const ChainBuilder& other) const;

 private:
  [[nodiscard]] chain::Transaction make_coinbase(chain::Height height,
                                                 const std::vector<chain::Transaction>& txs) const;

  std::vector<std::shared_ptr<const Block>> blocks_;
  std::optional<std::uint32_t> next_time_;
  std::uint32_t time_step_ = kDefaultTimeStep;
  std::uint64_t salt_ = 0;
  util::Bytes coinbase_script_;
};

/// Sets the nonce so that the header's hash meets its regtest target.
void mine(chain::BlockHeader& header);

}  // namespace spv::test
