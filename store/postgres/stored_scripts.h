// The scripts of key chains, for the table that holds them: derived where the wallet does not give them, and the coins
// that turn out to be the wallet's when more scripts are.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "store/postgres/write_batch.h"
#include "wallet/records.h"

namespace spv::store::postgres {

/// The row of a new key chain.
Command insert_key_chain(std::int64_t wallet, std::size_t chain, const wallet::KeyChainConfig& config,
                         const wallet::KeyChainState& state);

/// The scripts of a chain from index `first` to below `end`.
wallet::ChainScripts derive_scripts(const wallet::Descriptor& descriptor, std::size_t chain, std::uint32_t first,
                                    std::uint32_t end);

/// Scripts that are not stored yet. It keeps what a WriteBatch refers to.
class NewScripts {
 public:
  void add(std::int64_t wallet, wallet::ChainScripts scripts);
  /// Derives those from index `stored` to below `watched`.
  void fill(std::int64_t wallet, const wallet::Descriptor& descriptor, std::size_t chain, std::uint32_t stored,
            std::uint32_t watched);
  [[nodiscard]] const std::deque<std::pair<std::int64_t, wallet::ChainScripts>>& all() const { return all_; }
  /// Adds them, and has the transactions that the wallets hold looked through for outputs that pay them: a payment to
  /// several may have been stored for another of its outputs.
  void add_to(WriteBatch& batch, Connection& connection);
  /// The same of a wallet that is new: it holds nothing yet.
  void add_to(WriteBatch& batch) const;

 private:
  std::deque<std::pair<std::int64_t, wallet::ChainScripts>> all_;
  std::map<chain::Txid, chain::Transaction> held_;
};

}  // namespace spv::store::postgres
