// BlockFile: a regtest chain written block by block as `bitcoind -loadblock=FILE` reads it (magic, size, block).
// Nothing is kept but the last header, so a chain may be as long as the disk has room for.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "chain/types.h"

namespace spv::bench {

class BlockFile {
 public:
  /// A new file; throws std::runtime_error if it cannot be written.
  explicit BlockFile(const std::string& path);

  /// Appends a block of a coinbase (paid to OP_TRUE) and these transactions; gives the coinbase.
  chain::Transaction add(const std::vector<chain::Transaction>& txs);
  [[nodiscard]] chain::Height height() const { return height_; }
  /// Throws if anything could not be written.
  void finish();

 private:
  void write(const chain::Transaction& coinbase, const std::vector<chain::Transaction>& txs);

  std::ofstream out_;
  chain::Height height_ = 0;
  chain::BlockHeader last_;
  chain::BlockHash last_hash_;
};

}  // namespace spv::bench
