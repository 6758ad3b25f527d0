#include "tests/support/tx_builder.h"

#include <atomic>

#include "tests/support/scripts.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::test {
namespace {

std::uint64_t next_nonce() {
  static std::atomic<std::uint64_t> counter{1};
  return counter++;
}

chain::OutPoint made_up_outpoint(std::uint64_t nonce) {
  const auto seed = util::Writer().var_string("made up outpoint").integer(nonce).take();
  return {util::retag<chain::Txid>(util::sha256d(seed)), 0};
}

}  // namespace

TxBuilder::TxBuilder() : nonce_(next_nonce()) {}

TxBuilder& TxBuilder::pays(util::ByteView script, chain::Amount amount) {
  tx_.outputs.push_back({.value = amount, .script_pubkey = util::to_bytes(script)});
  return *this;
}

TxBuilder& TxBuilder::op_return(util::ByteView data) { return pays(test::op_return(data), 0); }

TxBuilder& TxBuilder::spends(const chain::OutPoint& outpoint, util::ByteView script_sig) {
  chain::TxInput input;
  input.previous = outpoint;
  input.script_sig = util::to_bytes(script_sig);
  // The top bit switches relative lock times off (BIP68), so the rest is free to make the txid unique.
  input.sequence = 0x8000'0000U | static_cast<std::uint32_t>(nonce_ & 0x3FFF'FFFFU);
  tx_.inputs.push_back(std::move(input));
  return *this;
}

TxBuilder& TxBuilder::spends(const chain::Transaction& tx, std::uint32_t index, util::ByteView script_sig) {
  return spends(test::outpoint(tx, index), script_sig);
}

TxBuilder& TxBuilder::witness(util::ByteView item) {
  util::ensure(!tx_.inputs.empty(), "a witness belongs to an input");
  tx_.inputs.back().witness.push_back(util::to_bytes(item));
  return *this;
}

TxBuilder& TxBuilder::script_sig(util::ByteView script) {
  util::ensure(!tx_.inputs.empty(), "a scriptSig belongs to an input");
  tx_.inputs.back().script_sig = util::to_bytes(script);
  return *this;
}

TxBuilder& TxBuilder::sequence(std::uint32_t sequence) {
  util::ensure(!tx_.inputs.empty(), "a sequence belongs to an input");
  tx_.inputs.back().sequence = sequence;
  return *this;
}

TxBuilder& TxBuilder::version(std::int32_t version) {
  tx_.version = version;
  return *this;
}

TxBuilder& TxBuilder::lock_time(std::uint32_t lock_time) {
  tx_.lock_time = lock_time;
  return *this;
}

chain::Transaction TxBuilder::build() const {
  chain::Transaction tx = tx_;
  if (tx.inputs.empty()) tx.inputs.push_back({.previous = made_up_outpoint(nonce_), .script_sig = {}, .witness = {}});
  if (tx.outputs.empty()) tx.outputs.push_back({.value = 1'000, .script_pubkey = op_true()});
  return tx;
}

chain::Transaction TxBuilder::coinbase(chain::Height height, util::ByteView script, chain::Amount amount,
                                       std::uint64_t extra) {
  chain::Transaction tx;
  const auto salt = util::Writer().integer(extra).take();
  tx.inputs.push_back({.previous = {.txid = {}, .index = 0xFFFF'FFFF},
                       .script_sig = concat({push_height(height), push(salt)}),
                       .witness = {}});
  tx.outputs.push_back({.value = amount, .script_pubkey = util::to_bytes(script)});
  return tx;
}

chain::OutPoint outpoint(const chain::Transaction& tx, std::uint32_t index) { return {tx.txid(), index}; }

}  // namespace spv::test
