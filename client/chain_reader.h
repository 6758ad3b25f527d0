// ChainReader: the headers of the best chain, for those who hand them on. From any thread; may block for a moment.
#pragma once

#include <cstddef>
#include <spv/client.h>
#include <vector>

#include "chain/block_header.h"

namespace spv::client {

class ChainReader {
 public:
  /// `client` outlives it.
  explicit ChainReader(Client& client) : client_(client) {}

  /// So many from this height on, fewer where the chain ends.
  [[nodiscard]] Result<std::vector<chain::BlockHeader>> headers(chain::Height from, std::size_t count) const;
  /// Their hashes.
  [[nodiscard]] Result<std::vector<chain::BlockHash>> hashes(chain::Height from, std::size_t count) const;

 private:
  Client& client_;
};

}  // namespace spv::client
