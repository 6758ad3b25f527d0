// TxBuilder: transactions in one line, for tests: TxBuilder().pays(script, 5'000).spends(outpoint).build().
#pragma once

#include <cstdint>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"

namespace spv::test {

class TxBuilder {
 public:
  /// Every transaction gets a txid of its own (in its sequence numbers), by a counter of the process.
  TxBuilder();
  /// The same nonce and the same steps give the same transaction, in every run.
  explicit TxBuilder(std::uint64_t nonce) : nonce_(nonce) {}

  TxBuilder& pays(util::ByteView script, chain::Amount amount);
  TxBuilder& op_return(util::ByteView data);
  TxBuilder& spends(const chain::OutPoint& outpoint, util::ByteView script_sig = {});
  /// An output of another transaction.
  TxBuilder& spends(const chain::Transaction& tx, std::uint32_t index = 0, util::ByteView script_sig = {});
  /// Adds an item to the witness of the last input.
  TxBuilder& witness(util::ByteView item);
  TxBuilder& script_sig(util::ByteView script);  // of the last input
  TxBuilder& sequence(std::uint32_t sequence);   // of the last input
  TxBuilder& version(std::int32_t version);
  TxBuilder& lock_time(std::uint32_t lock_time);

  [[nodiscard]] std::size_t output_count() const { return tx_.outputs.size(); }
  /// Without spends(): spends an outpoint that no other transaction made. Without an output: pays OP_TRUE.
  [[nodiscard]] chain::Transaction build() const;

  /// The coinbase of a block; `extra` in its scriptSig makes two of the same height differ.
  static chain::Transaction coinbase(chain::Height height, util::ByteView script, chain::Amount amount,
                                     std::uint64_t extra = 0);

 private:
  std::uint64_t nonce_;
  chain::Transaction tx_;
};

/// The outpoint of an output.
chain::OutPoint outpoint(const chain::Transaction& tx, std::uint32_t index = 0);

}  // namespace spv::test
