// What a PSBT must have to be read, and the limits of its parts; what is read and written is the same.
#include <string>

#include <gtest/gtest.h>

#include "util/codec.h"
#include "wallet/extended_key.h"
#include "wallet/spend/psbt.h"
#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

using util::Bytes;
using Code = PsbtErrorCode;

/// So many inputs and outputs, each as small as it can be.
chain::Transaction small_tx(std::size_t inputs, std::size_t outputs) {
  chain::Transaction tx;
  tx.version = 2;
  tx.lock_time = 77;
  for (std::uint32_t i = 0; i < inputs; ++i) {
    tx.inputs.push_back({.previous = {.txid = {}, .index = i}, .script_sig = {}, .sequence = i, .witness = {}});
  }
  for (std::size_t i = 0; i < outputs; ++i) tx.outputs.push_back({static_cast<chain::Amount>(i), {}});
  return tx;
}

std::string outcome(util::ByteView bytes) {
  const auto read = parse_psbt(bytes);
  return read ? "read" : std::string(to_string(read.error().code));
}
std::string outcome(const Psbt& psbt) { return outcome(serialize(psbt)); }

TEST(PsbtRead, WhatIsWrittenOfAnySize) {
  for (const std::size_t inputs : {1U, 2U, 100U, 300U}) {
    for (const std::size_t outputs : {0U, 1U, 100U, 300U}) {
      for (const std::uint32_t version : {0U, 2U}) {
        const auto psbt = new_psbt(small_tx(inputs, outputs), version);
        const auto read = parse_psbt(serialize(psbt));
        ASSERT_TRUE(read) << inputs << ' ' << outputs << ": " << read.error().message;
        EXPECT_EQ(*read, psbt);
      }
    }
  }
}

TEST(PsbtRead, BeginsWithItsMagic) {
  const Bytes magic{'p', 's', 'b', 't', 0xFF};
  EXPECT_EQ(outcome(magic), "malformed") << "it has begun";
  EXPECT_EQ(outcome(util::ByteView(magic).first(4)), "not-a-psbt");
  auto other = serialize(new_psbt(small_tx(1, 1)));
  EXPECT_EQ(outcome(other), "read");
  other[4] = 0xFE;
  EXPECT_EQ(outcome(other), "not-a-psbt");
}

TEST(PsbtRead, KeysHaveATypeInItsShortestForm) {
  const auto with_key = [](const Bytes& key) {
    const auto bytes = serialize(new_psbt(small_tx(1, 0)));
    util::Writer out;
    out.bytes(util::ByteView(bytes).first(5)).var_bytes(key).var_bytes({});
    return outcome(out.bytes(util::ByteView(bytes).subspan(5)).data());
  };
  EXPECT_EQ(with_key({0xF3}), "read");
  EXPECT_EQ(with_key({0xFD, 0x00, 0x01}), "read");
  EXPECT_EQ(with_key({0xFD, 0x00}), "malformed") << "cut off";
  EXPECT_EQ(with_key({0xFD, 0x10, 0x00}), "malformed") << "too long for its number";
}

TEST(PsbtRead, IsOfVersion0Or2) {
  for (const std::uint32_t version : {0U, 1U, 2U, 3U}) {
    auto psbt = new_psbt(small_tx(1, 1), version == 2 ? 2 : 0);
    psbt.global.set(psbt_global::kVersion, encode_little_endian(version));
    EXPECT_EQ(outcome(psbt), version == 0 || version == 2 ? "read" : "unknown-version") << version;
  }
}

TEST(PsbtRead, HasTheFieldsOfItsVersion) {
  const auto without = [](std::uint32_t version, PsbtMapKind kind, std::uint64_t type) {
    auto psbt = new_psbt(small_tx(1, 1), version);
    auto& map =
        kind == PsbtMapKind::Global ? psbt.global : (kind == PsbtMapKind::Input ? psbt.inputs[0] : psbt.outputs[0]);
    map.erase(type);
    return outcome(psbt);
  };
  EXPECT_EQ(without(0, PsbtMapKind::Global, psbt_global::kUnsignedTx), "missing-field");
  for (const auto type : {psbt_global::kTxVersion, psbt_global::kInputCount, psbt_global::kOutputCount}) {
    EXPECT_EQ(without(2, PsbtMapKind::Global, type), "missing-field") << type;
  }
  for (const auto type : {psbt_in::kPreviousTxid, psbt_in::kOutputIndex}) {
    EXPECT_EQ(without(2, PsbtMapKind::Input, type), "missing-field") << type;
  }
  for (const auto type : {psbt_out::kAmount, psbt_out::kScript}) {
    EXPECT_EQ(without(2, PsbtMapKind::Output, type), "missing-field") << type;
  }
  EXPECT_EQ(without(2, PsbtMapKind::Global, psbt_global::kFallbackLockTime), "read");
  EXPECT_EQ(without(2, PsbtMapKind::Input, psbt_in::kSequence), "read");
}

TEST(PsbtRead, OptionalFieldsOfVersion2HaveTheirDefaults) {
  auto psbt = new_psbt(small_tx(1, 1), 2);
  psbt.global.erase(psbt_global::kFallbackLockTime);
  psbt.inputs[0].erase(psbt_in::kSequence);
  const auto read = parse_psbt(serialize(psbt));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tx.lock_time, 0U);
  EXPECT_EQ(read->tx.inputs[0].sequence, 0xFFFF'FFFFU);
  EXPECT_EQ(read->tx.version, 2);
}

TEST(PsbtRead, TheUnsignedTransactionHasNoScriptsAndNothingBehindIt) {
  auto signed_tx = small_tx(2, 1);
  signed_tx.inputs[1].script_sig = {0x51};
  auto psbt = new_psbt(small_tx(2, 1));
  psbt.global.set(psbt_global::kUnsignedTx, signed_tx.serialize(chain::Witness::Strip));
  EXPECT_EQ(outcome(psbt), "bad-transaction");
  auto bytes = small_tx(2, 1).serialize(chain::Witness::Strip);
  bytes.push_back(0);
  psbt.global.set(psbt_global::kUnsignedTx, bytes);
  EXPECT_EQ(outcome(psbt), "malformed");
}

TEST(PsbtRead, AmountsAreAtMostAllTheMoneyThatThereIs) {
  const auto with_outputs = [](chain::Amount first, chain::Amount second) {
    auto tx = small_tx(1, 2);
    tx.outputs[0].value = first;
    tx.outputs[1].value = second;
    return outcome(new_psbt(tx));
  };
  EXPECT_EQ(with_outputs(chain::kMaxMoney - 1, 1), "read");
  EXPECT_EQ(with_outputs(chain::kMaxMoney, 1), "bad-amount");
  EXPECT_EQ(with_outputs(chain::kMaxMoney + 1, 0), "bad-amount");
  EXPECT_EQ(with_outputs(-1, 0), "bad-amount");
  const auto with_inputs = [](chain::Amount first, chain::Amount second) {
    auto psbt = new_psbt(small_tx(2, 1));
    psbt.inputs[0].set(psbt_in::kWitnessUtxo, encode_output({first, {}}));
    psbt.inputs[1].set(psbt_in::kWitnessUtxo, encode_output({second, {}}));
    return outcome(psbt);
  };
  EXPECT_EQ(with_inputs(chain::kMaxMoney - 1, 1), "read");
  EXPECT_EQ(with_inputs(chain::kMaxMoney, 1), "bad-amount");
  EXPECT_EQ(with_inputs(chain::kMaxMoney + 1, 0), "bad-amount");
  EXPECT_EQ(with_inputs(-1, 0), "bad-amount");
}

TEST(PsbtRead, FileHasAtMostSixteenMegabytes) {
  auto psbt = new_psbt(small_tx(1, 1));
  psbt.global.append({0xF3, Bytes{1}, Bytes(kMaxPsbtBytes - 200)});
  auto& padding = psbt.outputs[0];
  padding.append({0xF3, Bytes{1}, {}});
  padding.set(0xF3, Bytes{1}, Bytes(kMaxPsbtBytes - serialize(psbt).size()));
  const auto bytes = serialize(psbt);
  ASSERT_EQ(bytes.size(), kMaxPsbtBytes);
  EXPECT_EQ(outcome(bytes), "read");
  EXPECT_TRUE(read_psbt(bytes));
  padding.set(0xF3, Bytes{1}, Bytes(padding.find(0xF3, Bytes{1})->size() + 1));
  EXPECT_EQ(outcome(psbt), "too-large");
  EXPECT_EQ(read_psbt(serialize(psbt)).error().code, Code::TooLarge);
}

TEST(PsbtRead, FileHasAtMostAMillionFields) {
  // The unsigned transaction is one, the others are spread over two maps.
  auto psbt = new_psbt(small_tx(1, 1));
  for (std::uint32_t i = 1; i < 1'000'000; ++i) {
    auto& map = i % 2 == 0 ? psbt.inputs[0] : psbt.outputs[0];
    map.append({0xF3, encode_little_endian(i), {}});
  }
  EXPECT_EQ(outcome(psbt), "read");
  psbt.outputs[0].append({0xF4, {}, {}});
  EXPECT_EQ(outcome(psbt), "too-large");
}

/// What the inputs ask for; zero is nothing.
struct Locks {
  std::uint32_t time = 0;
  std::uint32_t height = 0;
};

std::optional<std::uint32_t> lock_time(const std::vector<Locks>& inputs) {
  PsbtMap global;
  global.set(psbt_global::kFallbackLockTime, encode_little_endian(7));
  std::vector<PsbtMap> maps(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].time != 0) maps[i].set(psbt_in::kTimeLock, encode_little_endian(inputs[i].time));
    if (inputs[i].height != 0) maps[i].set(psbt_in::kHeightLock, encode_little_endian(inputs[i].height));
  }
  const auto found = lock_time_of(global, maps);
  if (found) return *found;
  EXPECT_EQ(found.error().code, Code::BadLockTime);
  return std::nullopt;
}

TEST(PsbtLockTime, SatisfiesAllInputsByHeightIfItCan) {
  constexpr std::uint32_t kTime = 1'600'000'000;
  EXPECT_EQ(lock_time({}), 7U);
  EXPECT_EQ(lock_time({{}, {}}), 7U) << "the fallback";
  EXPECT_EQ(lock_time({{0, 10}, {}}), 10U);
  EXPECT_EQ(lock_time({{0, 10}, {0, 12}, {0, 11}}), 12U) << "the highest";
  EXPECT_EQ(lock_time({{kTime, 0}, {}}), kTime);
  EXPECT_EQ(lock_time({{kTime, 0}, {kTime + 2, 0}, {kTime + 1, 0}}), kTime + 2);
  EXPECT_EQ(lock_time({{kTime, 10}}), 10U) << "heights before times";
  EXPECT_EQ(lock_time({{kTime, 10}, {0, 12}}), 12U);
  EXPECT_EQ(lock_time({{kTime, 10}, {kTime + 1, 0}}), kTime + 1);
  EXPECT_EQ(lock_time({{kTime, 0}, {0, 10}}), std::nullopt) << "they exclude each other";
  EXPECT_EQ(lock_time({{kTime, 0}, {}, {0, 10}}), std::nullopt);
}

TEST(PsbtMap, KeepsFieldsInTheOrderOfTheirTypes) {
  PsbtMap map;
  const Bytes one{1};
  const Bytes two{2};
  map.set(2, one, {});
  map.set(4, one, {});
  map.set(2, two, {});
  map.set(1, one, {});
  map.set(3, one, {});
  map.set(2, one, Bytes{9});
  std::vector<std::pair<std::uint64_t, Bytes>> keys;
  for (const auto& field : map.fields()) keys.emplace_back(field.type, field.key_data);
  EXPECT_EQ(keys, (std::vector<std::pair<std::uint64_t, Bytes>>{{1, one}, {2, one}, {2, two}, {3, one}, {4, one}}));
  EXPECT_EQ(util::to_bytes(map.find(2, one).value()), Bytes{9}) << "replaced";
  EXPECT_FALSE(map.find(3, two));
  EXPECT_FALSE(map.find(5, one));
}

TEST(PsbtVersion, Of0LosesAllFieldsThatOnly2Has) {
  const auto tx = small_tx(2, 2);
  auto psbt = new_psbt(tx, 2);
  psbt.global.set(psbt_global::kTxModifiable, Bytes{3});
  psbt.global.set(psbt_global::kXpub, Bytes{5}, {});
  psbt.inputs[0].set(psbt_in::kTimeLock, encode_little_endian(1'600'000'000));
  psbt.inputs[0].set(psbt_in::kHeightLock, encode_little_endian(77));
  for (const std::uint64_t type : {psbt_in::kHash256, psbt_in::kTapKeySignature}) psbt.inputs[1].set(type, Bytes{1});
  for (const std::uint64_t type : {psbt_out::kKeyPath, psbt_out::kTapInternalKey}) psbt.outputs[1].set(type, Bytes{1});
  auto expected = new_psbt(tx, 0);
  expected.global.set(psbt_global::kXpub, Bytes{5}, {});
  for (const std::uint64_t type : {psbt_in::kHash256, psbt_in::kTapKeySignature}) {
    expected.inputs[1].set(type, Bytes{1});
  }
  for (const std::uint64_t type : {psbt_out::kKeyPath, psbt_out::kTapInternalKey}) {
    expected.outputs[1].set(type, Bytes{1});
  }
  auto back = to_version(psbt, 0);
  EXPECT_EQ(back.version, 0U);
  EXPECT_EQ(back.inputs, expected.inputs);
  EXPECT_EQ(back.outputs, expected.outputs);
  EXPECT_EQ(back.global.fields().size(), 2U);
  EXPECT_EQ(back.global.find(psbt_global::kUnsignedTx).has_value(), true);
  EXPECT_EQ(to_version(expected, 0), expected);
}

TEST(PsbtFields, WitnessesAndPathsAreReadAsTheyAreWritten) {
  for (const auto& witness : std::vector<std::vector<Bytes>>{{}, {{}}, {{}, {}, {}}, {{1}, Bytes(300), {}}}) {
    PsbtMap map;
    EXPECT_FALSE(is_final(map));
    map.set(psbt_in::kFinalWitness, encode_witness(witness));
    EXPECT_EQ(final_witness_in(map), witness);
    EXPECT_TRUE(is_final(map));
  }
  PsbtMap legacy;
  legacy.set(psbt_in::kFinalScriptSig, Bytes{0x51});
  EXPECT_TRUE(is_final(legacy));
  const KeyOrigin origin{.fingerprint = {1, 2, 3, 4}, .path = {kHardened + 86, 0, 9}};
  for (const std::size_t leaves : {0U, 1U, 3U, 100U}) {
    util::Writer value;
    value.compact_size(leaves).bytes(Bytes(32 * leaves, 0xAA)).bytes(encode_origin(origin));
    PsbtMap map;
    map.set(psbt_in::kTapKeyPath, Bytes(32, 2), value.take());
    const auto keys = claimed_tap_keys(map, psbt_in::kTapKeyPath);
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].origin.fingerprint, origin.fingerprint) << leaves;
    EXPECT_EQ(keys[0].origin.path, origin.path) << leaves;
  }
}

TEST(PsbtFields, NumbersHaveFourBytes) {
  PsbtMap map;
  for (const std::size_t size : {3U, 4U, 5U}) {
    map.set(psbt_in::kSighashType, Bytes(size));
    EXPECT_EQ(number_in(map, psbt_in::kSighashType).has_value(), size == 4);
  }
  EXPECT_FALSE(number_in(map, psbt_in::kSequence));
}

}  // namespace
}  // namespace spv::wallet::spend
