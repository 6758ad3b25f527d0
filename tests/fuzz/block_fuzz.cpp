// Whole blocks: what the walk in place accepts is what the decoder accepts, with the same hashes, inputs and outputs.
#include <vector>

#include "chain/block_walk.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;

struct Parts {
  std::vector<chain::Txid> txids;
  std::vector<chain::Wtxid> wtxids;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  friend bool operator==(const Parts&, const Parts&) = default;
};

}  // namespace

SPV_FUZZ_TARGET(block, input) {
  Parts walked;
  const bool accepted = chain::walk_block(
      input, [&](util::ByteView) { ++walked.inputs; }, [&](util::ByteView) { ++walked.outputs; },
      [&](const chain::TxView& tx) {
        walked.txids.push_back(tx.txid());
        walked.wtxids.push_back(tx.wtxid());
      });

  Parts decoded;
  util::Reader in(input);
  const std::uint64_t count = in.compact_size();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const auto tx = chain::Transaction::decode(in);
    if (!in.ok()) break;
    decoded.txids.push_back(tx.txid());
    decoded.wtxids.push_back(tx.wtxid());
    decoded.inputs += tx.inputs.size();
    decoded.outputs += tx.outputs.size();
  }
  util::ensure(accepted == (in.done() && count > 0), "the walk and the decoder differ");
  if (accepted) util::ensure(walked == decoded, "the walk and the decoder find different things");
}
