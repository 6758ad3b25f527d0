// The basic filter of BIP158: which scripts of a block it holds; its hash, and the chain of filter headers (BIP157).
#pragma once

#include <span>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"

namespace spv::bip158 {

using util::FilterHash;
using util::FilterHeader;

/// The type of a basic filter in BIP157's messages.
inline constexpr std::uint8_t kBasicType = 0;

/// True if a filter holds the script of an output: all but the empty ones and those that begin with OP_RETURN.
bool holds_output(util::ByteView script);
/// True if a filter holds the script of a spent output: all but the empty ones.
inline bool holds_spent(util::ByteView script) { return !script.empty(); }

/// Collects the scripts of a block, which must outlive it.
class BasicFilterBuilder {
 public:
  void add_output(util::ByteView script);
  void add_spent(util::ByteView script);
  /// The filter. Each script counts once.
  [[nodiscard]] util::Bytes build(const chain::BlockHash& block);

 private:
  std::vector<util::ByteView> elements_;
};

/// The filter of a block with these transactions, which spend outputs with these scripts.
util::Bytes basic_filter(const chain::BlockHash& block, std::span<const chain::Transaction> txs,
                         std::span<const util::Bytes> spent);

FilterHash filter_hash(util::ByteView filter);
/// The header of a filter; that of genesis follows a header of zeros.
FilterHeader filter_header(const FilterHash& hash, const FilterHeader& previous);

}  // namespace spv::bip158
