// tx: round trip; the txid is the double SHA-256 of the form without witness, written once more here; the rules that
// need no context are those written once more here.
#include <algorithm>
#include <set>

#include "tests/fuzz/payload.h"
#include "util/hash.h"

namespace {

using namespace spv;

util::Bytes stripped(const chain::Transaction& tx) {
  util::Writer out;
  out.integer(tx.version).compact_size(tx.inputs.size());
  for (const auto& input : tx.inputs) {
    out.bytes(input.previous.txid.view()).integer(input.previous.index);
    out.var_bytes(input.script_sig).integer(input.sequence);
  }
  out.compact_size(tx.outputs.size());
  for (const auto& output : tx.outputs) out.integer(output.value).var_bytes(output.script_pubkey);
  return out.integer(tx.lock_time).take();
}

bool is_null(const chain::OutPoint& outpoint) {
  return outpoint.txid == chain::Txid{} && outpoint.index == 0xFFFF'FFFF;
}

bool is_sound(const chain::Transaction& tx, std::size_t stripped_size) {
  if (tx.inputs.empty() || tx.outputs.empty() || stripped_size == 64) return false;
  constexpr chain::Amount kAll = 2'100'000'000'000'000;
  chain::Amount sum = 0;
  for (const auto& output : tx.outputs) {
    if (output.value < 0 || output.value > kAll) return false;
    sum += output.value;
    if (sum > kAll) return false;
  }
  std::set<chain::OutPoint> spent;
  for (const auto& input : tx.inputs) {
    if (!spent.insert(input.previous).second) return false;
  }
  const bool coinbase = tx.inputs.size() == 1 && is_null(tx.inputs[0].previous);
  if (coinbase) return tx.inputs[0].script_sig.size() >= 2 && tx.inputs[0].script_sig.size() <= 100;
  return std::none_of(tx.inputs.begin(), tx.inputs.end(), [](const auto& in) { return is_null(in.previous); });
}

}  // namespace

SPV_FUZZ_TARGET(tx, input) {
  const auto message = fuzz::check_payload("tx", input);
  const auto parsed = chain::Transaction::parse(input);
  util::ensure(message.has_value() == parsed.has_value(), "the message and the transaction differ");
  if (!message) return;
  const auto& tx = std::get<p2p::Tx>(*message).transaction;
  util::ensure(tx == *parsed, "two readings of one transaction");
  const auto bare = stripped(tx);
  util::ensure(tx.serialize(chain::Witness::Strip) == bare, "the form without witness");
  util::ensure(tx.txid().bytes == util::sha256d(bare).bytes, "the txid");
  util::ensure(tx.wtxid().bytes == util::sha256d(input).bytes, "the wtxid");
  util::ensure(chain::check_structure(tx).has_value() == is_sound(tx, bare.size()), "the rules without context");
}
