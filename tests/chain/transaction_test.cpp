#include "chain/transaction.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"
#include "util/rng.h"

namespace spv::chain {
namespace {

// The coinbase of mainnet's genesis block.
constexpr std::string_view kGenesisTx =
    "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d"
    "65"
    "732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062"
    "616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4c"
    "ef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000";

/// One input and one output, with nothing wrong.
Transaction simple() {
  Transaction tx;
  tx.inputs.push_back({});
  tx.inputs[0].previous.txid.bytes[0] = 1;
  tx.outputs.push_back({.value = 1000, .script_pubkey = {0x51}});
  return tx;
}

std::optional<TxError> fault(const Transaction& tx) {
  const auto result = check_structure(tx);
  if (result) return std::nullopt;
  return result.error();
}

TEST(Transaction, ReadsTheGenesisCoinbase) {
  const auto tx = Transaction::parse(test::hex(kGenesisTx));
  ASSERT_TRUE(tx);
  EXPECT_EQ(util::to_string(tx->txid()), "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
  EXPECT_TRUE(tx->is_coinbase());
  EXPECT_FALSE(tx->has_witness());
  EXPECT_EQ(tx->outputs.at(0).value, 50 * kCoin);
  EXPECT_EQ(util::to_hex(tx->serialize()), kGenesisTx);
  EXPECT_EQ(fault(*tx), std::nullopt);
}

TEST(Transaction, KeepsItsTxidWhenAWitnessIsAdded) {
  Transaction tx = simple();
  const Txid before = tx.txid();
  EXPECT_EQ(tx.wtxid().bytes, before.bytes);
  tx.inputs[0].witness = {{1, 2, 3}, {}};
  EXPECT_EQ(tx.txid(), before);
  EXPECT_NE(tx.wtxid().bytes, before.bytes);
  EXPECT_LT(tx.serialize(Witness::Strip).size(), tx.serialize().size());
  EXPECT_EQ(*Transaction::parse(tx.serialize()), tx);
}

TEST(Transaction, RefusesEveryTruncationAndBytesBehind) {
  Transaction tx = simple();
  tx.inputs[0].witness = {{7, 7}};
  for (auto bytes : {tx.serialize(), simple().serialize(), test::hex(kGenesisTx)}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(Transaction::parse(util::ByteView(bytes).first(size))) << size;
    }
    bytes.push_back(0);
    EXPECT_FALSE(Transaction::parse(bytes));
  }
}

TEST(Transaction, RefusesAWitnessFlagWithoutAWitness) {
  auto bytes = simple().serialize();
  bytes.insert(bytes.begin() + 4, {0x00, 0x01});
  bytes.insert(bytes.end() - 4, 0x00);
  EXPECT_FALSE(Transaction::parse(bytes));
}

TEST(Transaction, RefusesCountsThatTheBytesCannotHold) {
  for (const auto* count : {"fdffff", "feffffffff", "ffffffffffffffffff"}) {
    EXPECT_FALSE(Transaction::parse(test::hex(std::string("01000000") + count + std::string(400, '0')))) << count;
  }
}

TEST(Transaction, W1_RefusesAmountsOutOfRange) {
  Transaction tx = simple();
  tx.outputs[0].value = kMaxMoney;
  EXPECT_EQ(fault(tx), std::nullopt);
  tx.outputs[0].value = kMaxMoney + 1;
  EXPECT_EQ(fault(tx), TxError::BadAmount);
  tx.outputs[0].value = -1;
  EXPECT_EQ(fault(tx), TxError::BadAmount);
}

TEST(Transaction, W1_RefusesAmountsWhoseSumIsOutOfRange) {
  Transaction tx = simple();
  tx.outputs = {{.value = kMaxMoney, .script_pubkey = {}}, {.value = 1, .script_pubkey = {}}};
  EXPECT_EQ(fault(tx), TxError::BadAmount);
  tx.outputs[1].value = 0;
  EXPECT_EQ(fault(tx), std::nullopt);
}

TEST(Transaction, W1_RefusesTheTwoOutputsOfTheOverflowBlock) {
  Transaction tx = simple();
  const TxOutput huge{.value = 9'223'372'036'854'277'039, .script_pubkey = {}};  // CVE-2010-5139
  tx.outputs = {huge, huge};
  EXPECT_EQ(fault(tx), TxError::BadAmount);
}

TEST(Transaction, W2_RefusesWhatNoBlockMayHold) {
  Transaction no_inputs = simple();
  no_inputs.inputs.clear();
  EXPECT_EQ(fault(no_inputs), TxError::NoInputs);
  Transaction no_outputs = simple();
  no_outputs.outputs.clear();
  EXPECT_EQ(fault(no_outputs), TxError::NoOutputs);
  Transaction twice = simple();
  twice.inputs.push_back(twice.inputs[0]);
  EXPECT_EQ(fault(twice), TxError::DuplicateInput);
  Transaction null = simple();
  null.inputs.push_back(
      {.previous = {.txid = {}, .index = 0xFFFF'FFFF}, .script_sig = {}, .sequence = 0, .witness = {}});
  EXPECT_EQ(fault(null), TxError::NullInput);
}

TEST(Transaction, BoundsACoinbaseScriptFromTwoToAHundredBytes) {
  Transaction tx = *Transaction::parse(test::hex(kGenesisTx));
  const auto with_script = [&](std::size_t size) {
    tx.inputs[0].script_sig.assign(size, 0);
    return fault(tx);
  };
  EXPECT_EQ(with_script(1), TxError::BadCoinbase);
  EXPECT_EQ(with_script(2), std::nullopt);
  EXPECT_EQ(with_script(100), std::nullopt);
  EXPECT_EQ(with_script(101), TxError::BadCoinbase);
}

TEST(Transaction, RefusesExactly64BytesWithoutWitness) {
  Transaction tx = simple();
  for (std::size_t script = 0; script < 10; ++script) {
    tx.outputs[0].script_pubkey.assign(script, 0x51);
    const bool ambiguous = tx.serialize(Witness::Strip).size() == 64;
    EXPECT_EQ(ambiguous, script == 4);
    EXPECT_EQ(fault(tx), ambiguous ? std::optional(TxError::AmbiguousSize) : std::nullopt) << script;
  }
  tx.outputs[0].script_pubkey.assign(4, 0x51);
  tx.inputs[0].witness = {{1}};
  EXPECT_EQ(fault(tx), TxError::AmbiguousSize);
}

TEST(OutPoint, IsTxidThenIndexLowByteFirst) {
  OutPoint outpoint{.txid = {}, .index = 0x01020304};
  outpoint.txid.bytes[0] = 0xAA;
  EXPECT_EQ(util::to_hex(outpoint.bytes()), "aa" + std::string(62, '0') + "04030201");
}

RC_GTEST_PROP(Transaction, ReadsBackWhatItWrote, ()) {
  Transaction tx;
  tx.version = *rc::gen::arbitrary<std::int32_t>();
  tx.lock_time = *rc::gen::arbitrary<std::uint32_t>();
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    TxInput input;
    input.previous.index = *rc::gen::arbitrary<std::uint32_t>();
    input.script_sig = *rc::gen::arbitrary<util::Bytes>();
    input.sequence = *rc::gen::arbitrary<std::uint32_t>();
    input.witness = *rc::gen::arbitrary<std::vector<util::Bytes>>();
    tx.inputs.push_back(input);
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    tx.outputs.push_back({.value = *rc::gen::arbitrary<Amount>(), .script_pubkey = *rc::gen::arbitrary<util::Bytes>()});
  }
  const auto read = Transaction::parse(tx.serialize());
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == tx);
}

/// Of any shape; some scripts, items and counts are so large that their length takes three bytes, or five.
Transaction any_transaction(util::Rng& rng) {
  const auto size = [&]() -> std::size_t {
    constexpr std::array<std::size_t, 6> kEdges{0, 252, 253, 65'535, 65'536, 70'000};
    return rng.below(8) == 0 ? kEdges[rng.below(kEdges.size())] : rng.below(120);
  };
  const bool with_witness = rng.below(2) == 0;
  Transaction tx;
  tx.inputs.resize(rng.below(20) == 0 ? 252 + rng.below(3) : 1 + rng.below(4));
  for (auto& input : tx.inputs) {
    input.script_sig.resize(size());
    if (!with_witness || rng.below(3) == 0) continue;
    input.witness.resize(rng.below(20) == 0 ? 252 + rng.below(3) : rng.below(4));
    for (auto& item : input.witness) item.resize(rng.below(120));
    if (!input.witness.empty()) input.witness.front().resize(size());
  }
  tx.outputs.resize(rng.below(20) == 0 ? 252 + rng.below(3) : rng.below(4));
  for (auto& output : tx.outputs) output.script_pubkey.resize(size());
  return tx;
}

TEST(Transaction, ItsSizeIsThatOfItsBytesInBothForms) {
  util::Rng rng(1);
  int with_witness = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Transaction tx = any_transaction(rng);
    with_witness += tx.has_witness() ? 1 : 0;
    ASSERT_EQ(tx.serialized_size(), tx.serialize().size()) << i;
    ASSERT_EQ(tx.serialized_size(Witness::Strip), tx.serialize(Witness::Strip).size()) << i;
  }
  EXPECT_GT(with_witness, 200);
  EXPECT_LT(with_witness, 800);
}

RC_GTEST_PROP(Transaction, WhateverParsesIsWrittenAsItWas, ()) {
  auto bytes = simple().serialize();
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] = *rc::gen::arbitrary<std::uint8_t>();
  if (const auto tx = Transaction::parse(bytes)) RC_ASSERT(tx->serialize() == bytes);
}

/// The raw transaction of a row of Core's tables; rows of one string are comments.
std::optional<std::string> raw_of(const boost::json::value& row) {
  const auto& fields = row.as_array();
  if (fields.size() < 3) return std::nullopt;
  return std::string(fields[1].as_string());
}

TEST(Transaction, CoreVectorsThatAreValid) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/tx_valid.json");
  const auto rows = test::read_json(path);
  for (const auto& row : rows.as_array()) {
    const auto raw = raw_of(row);
    if (!raw) continue;
    const auto tx = Transaction::parse(test::hex(*raw));
    ASSERT_TRUE(tx) << *raw;
    EXPECT_EQ(util::to_hex(tx->serialize()), *raw);
    // Core has no rule against 64 bytes; every other structural rule is its own.
    EXPECT_TRUE(!fault(*tx) || fault(*tx) == TxError::AmbiguousSize) << *raw;
  }
}

TEST(Transaction, W1_W2_CoreVectorsThatAreStructurallyBad) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/tx_invalid.json");
  const auto rows = test::read_json(path);
  for (const auto& row : rows.as_array()) {
    const auto raw = raw_of(row);
    if (!raw || std::string_view(row.as_array()[2].as_string()).find("BADTX") == std::string_view::npos) continue;
    const auto tx = Transaction::parse(test::hex(*raw));
    EXPECT_TRUE(!tx || fault(*tx)) << *raw;
  }
}

TEST(Transaction, Bip54VectorsOfSize) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip54/txsize.json");
  const auto rows = test::read_json(path);
  for (const auto& row : rows.as_array()) {
    const auto tx = Transaction::parse(test::hex(row.at("tx")));
    ASSERT_TRUE(tx) << row.at("comment");
    EXPECT_EQ(fault(*tx) == TxError::AmbiguousSize, !row.at("valid").as_bool()) << row.at("comment");
  }
}

}  // namespace
}  // namespace spv::chain
