// The rule by which a serving node decides that a transaction is relevant to a filter, and how the filter
// changes by it (Core's CBloomFilter::IsRelevantAndUpdate). The mirror and the test nodes use it.
#pragma once

#include "bip37/bloom_filter.h"
#include "chain/transaction.h"

namespace spv::bip37 {

/// Tests txid, output pushes, then (if no output matched) outpoints and scriptSig pushes; inserts matched
/// outputs' outpoints as the filter's flags say. `txid` is tx.txid(), which the caller has anyway.
bool match_and_update(const chain::Transaction& tx, const chain::Txid& txid, BloomFilter& filter);

}  // namespace spv::bip37
