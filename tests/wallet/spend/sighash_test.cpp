// Digests against the vectors of Bitcoin Core, BIP143 and BIP341.
#include "wallet/spend/sighash.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::wallet::spend {
namespace {

using test::hex;

chain::Transaction transaction(const boost::json::value& text) {
  auto tx = chain::Transaction::parse(hex(text));
  util::ensure(tx.has_value(), "a vector is no transaction");
  return std::move(*tx);
}

chain::Transaction small_transaction(std::size_t inputs, std::size_t outputs) {
  chain::Transaction tx;
  for (std::size_t i = 0; i < inputs; ++i) {
    chain::TxInput input;
    input.previous = {util::retag<chain::Txid>(util::sha256(util::Bytes{static_cast<std::uint8_t>(i)})),
                      static_cast<std::uint32_t>(i)};
    input.sequence = 0xFFFF'FFFD;
    tx.inputs.push_back(input);
  }
  for (std::size_t i = 0; i < outputs; ++i) tx.outputs.push_back({1'000 + static_cast<std::int64_t>(i), {0x51}});
  return tx;
}

TEST(Sighash, LegacyVectorsOfCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/sighash.json");
  const auto file = test::read_json(path);
  int count = 0;
  for (const auto& row : file.as_array()) {
    const auto& cells = row.as_array();
    if (cells.size() != 5) continue;
    const auto tx = transaction(cells[0]);
    const auto type = static_cast<std::uint32_t>(static_cast<std::int32_t>(cells[3].as_int64()));
    const SighashData data(tx, {});
    const auto digest = data.legacy(static_cast<std::size_t>(cells[2].as_int64()), hex(cells[1]), type);
    EXPECT_EQ(to_string(digest), cells[4].as_string().c_str()) << "row " << count;
    ++count;
  }
  EXPECT_GT(count, 300);
}

// Two rows of Core's file: one with OP_CODESEPARATOR in the script, one of type SINGLE.
TEST(Sighash, LegacyByHand) {
  const auto tx = small_transaction(2, 1);
  const SighashData data(tx, {});
  const auto plain = data.legacy(0, hex("51ac"), kSighashAll);
  EXPECT_EQ(data.legacy(0, hex("ab51abacab"), kSighashAll), plain) << "OP_CODESEPARATOR is not signed";
  EXPECT_NE(data.legacy(0, hex("01abac"), kSighashAll), data.legacy(0, hex("01ac"), kSighashAll))
      << "but pushed data of that value is";
  chain::Transaction copy = tx;
  copy.inputs[0].script_sig = hex("51ac");
  auto preimage = copy.serialize();
  preimage.insert(preimage.end(), {1, 0, 0, 0});
  EXPECT_EQ(plain, util::sha256d(preimage));
  EXPECT_NE(data.legacy(0, hex("51ac"), 0x0101), plain) << "all 32 bits of the type are signed";
}

TEST(Sighash, LegacySingleWithoutItsOutputIsOne) {
  const auto tx = small_transaction(2, 1);
  const SighashData data(tx, {});
  EXPECT_EQ(to_string(data.legacy(1, hex("ac"), kSighashSingle)), std::string(63, '0') + "1");
  EXPECT_EQ(to_string(data.legacy(1, hex("ac"), kSighashSingle | kSighashAnyoneCanPay)), std::string(63, '0') + "1");
  EXPECT_NE(to_string(data.legacy(0, hex("ac"), kSighashSingle)), std::string(63, '0') + "1");
}

// The three kinds of digests once more, as the BIPs and Bitcoin Core describe them: field by field, for every type.

struct TypeParts {
  bool all_inputs;
  bool none;
  bool single;
  bool all_outputs;
};

TypeParts parts_of(std::uint32_t type) {
  const bool none = (type & 0x1FU) == 2;
  const bool single = (type & 0x1FU) == 3;
  return {.all_inputs = (type & 0x80U) == 0, .none = none, .single = single, .all_outputs = !none && !single};
}

/// A copy of the transaction is changed as the type says, and serialized.
util::Hash256 legacy_by_the_rules(chain::Transaction tx, std::size_t input, const util::Bytes& script,
                                  std::uint32_t type) {
  const auto parts = parts_of(type);
  if (parts.none) tx.outputs.clear();
  if (parts.single) {
    tx.outputs.resize(input + 1);
    for (std::size_t i = 0; i < input; ++i) tx.outputs[i] = {-1, {}};
  }
  for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
    tx.inputs[i].script_sig = i == input ? script : util::Bytes{};
    if (i != input && !parts.all_outputs) tx.inputs[i].sequence = 0;
  }
  if (!parts.all_inputs) tx.inputs = {tx.inputs[input]};
  return util::sha256d(util::Writer().bytes(tx.serialize(chain::Witness::Strip)).integer(type).data());
}

util::Hash256 bip143_by_the_rules(const chain::Transaction& tx, std::span<const chain::TxOutput> spent,
                                  std::size_t input, const util::Bytes& script, std::uint32_t type) {
  const auto parts = parts_of(type);
  util::Writer outpoints;
  util::Writer sequences;
  util::Writer outputs;
  for (const auto& each : tx.inputs) outpoints.bytes(each.previous.bytes());
  for (const auto& each : tx.inputs) sequences.integer(each.sequence);
  for (std::size_t i = 0; i < tx.outputs.size(); ++i) {
    if (parts.all_outputs || i == input) outputs.integer(tx.outputs[i].value).var_bytes(tx.outputs[i].script_pubkey);
  }
  const bool has_outputs = parts.all_outputs || (parts.single && input < tx.outputs.size());
  util::Writer out;
  out.integer(tx.version);
  out.hash(parts.all_inputs ? util::sha256d(outpoints.data()) : util::Hash256{});
  out.hash(parts.all_inputs && parts.all_outputs ? util::sha256d(sequences.data()) : util::Hash256{});
  out.bytes(tx.inputs[input].previous.bytes()).var_bytes(script);
  out.integer(spent[input].value).integer(tx.inputs[input].sequence);
  out.hash(has_outputs ? util::sha256d(outputs.data()) : util::Hash256{}).integer(tx.lock_time).integer(type);
  return util::sha256d(out.data());
}

void write_spent(util::Writer& out, const chain::TxOutput& output) {
  out.integer(output.value).var_bytes(output.script_pubkey);
}

util::Hash256 bip341_by_the_rules(const chain::Transaction& tx, std::span<const chain::TxOutput> spent,
                                  std::size_t input, std::uint8_t type, const std::optional<util::Bytes>& annex) {
  const auto parts = parts_of(type);
  util::Writer out;
  out.integer(std::uint8_t{0}).integer(type).integer(tx.version).integer(tx.lock_time);
  if (parts.all_inputs) {
    util::Writer lists[4];  // of outpoints, amounts, scripts, sequences
    for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
      lists[0].bytes(tx.inputs[i].previous.bytes());
      lists[1].integer(spent[i].value);
      lists[2].var_bytes(spent[i].script_pubkey);
      lists[3].integer(tx.inputs[i].sequence);
    }
    for (const auto& list : lists) out.hash(util::sha256(list.data()));
  }
  util::Writer outputs;
  for (const auto& output : tx.outputs) write_spent(outputs, output);
  if (parts.all_outputs) out.hash(util::sha256(outputs.data()));
  out.integer(static_cast<std::uint8_t>(annex ? 1 : 0));
  if (parts.all_inputs) {
    out.integer(static_cast<std::uint32_t>(input));
  } else {
    out.bytes(tx.inputs[input].previous.bytes());
    write_spent(out, spent[input]);
    out.integer(tx.inputs[input].sequence);
  }
  if (annex) out.hash(util::sha256(util::Writer().var_bytes(*annex).data()));
  util::Writer own;
  if (parts.single) write_spent(own, tx.outputs[input]);
  if (parts.single) out.hash(util::sha256(own.data()));
  return util::tagged_sha256("TapSighash", out.data());
}

TEST(Sighash, IsThatOfTheRulesForEveryTypeAndInput) {
  auto tx = small_transaction(3, 2);
  tx.version = 7;
  tx.lock_time = 500;
  for (std::size_t i = 0; i < 3; ++i) tx.inputs[i].sequence = static_cast<std::uint32_t>(100 + i);
  const std::vector<chain::TxOutput> spent{{5'000, hex("5152")}, {6'000, hex("52")}, {7'000, {}}};
  const SighashData data(tx, spent);
  const auto script = hex("76a9ac");
  for (const unsigned number : {0x00U, 0x01U, 0x02U, 0x03U, 0x04U, 0x1FU, 0x22U, 0x23U, 0x81U, 0x82U, 0x83U, 0xC3U}) {
    const auto type = static_cast<std::uint8_t>(number);
    for (std::size_t input = 0; input < 3; ++input) {
      const auto where = std::to_string(type) + " of input " + std::to_string(input);
      const bool lacks_output = parts_of(type).single && input >= 2;
      if (!lacks_output) {
        EXPECT_EQ(data.legacy(input, script, type), legacy_by_the_rules(tx, input, script, type)) << where;
      }
      EXPECT_EQ(data.segwit_v0(input, script, type), bip143_by_the_rules(tx, spent, input, script, type)) << where;
      const auto taproot = data.taproot(input, type);
      if (!taproot) continue;
      EXPECT_EQ(*taproot, bip341_by_the_rules(tx, spent, input, type, std::nullopt)) << where;
      const util::Bytes annex{0x50, 7};
      EXPECT_EQ(data.taproot(input, type, annex), bip341_by_the_rules(tx, spent, input, type, annex)) << where;
    }
  }
}

struct Bip143Parts {
  std::size_t input = 0;
  util::Bytes script_code;
  chain::TxOutput spent;
  std::uint32_t type = 0;
};

/// The preimages of the vectors say which input they are of and what it spends.
Bip143Parts read_preimage(const chain::Transaction& tx, util::ByteView preimage) {
  util::Reader in(preimage);
  in.view(4 + 32 + 32);
  chain::OutPoint outpoint{in.hash<chain::Txid>(), in.integer<std::uint32_t>()};
  Bip143Parts out;
  out.script_code = in.var_bytes(10'000);
  out.spent.value = in.integer<std::int64_t>();
  in.view(4 + 32 + 4);
  out.type = in.integer<std::uint32_t>();
  util::ensure(in.done(), "a preimage of BIP143");
  while (tx.inputs.at(out.input).previous != outpoint) ++out.input;
  return out;
}

TEST(Sighash, Bip143Vectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip143/bip143.json");
  int count = 0;
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto tx = transaction(row.at("unsigned_tx"));
    for (const auto& signature : row.at("signatures").as_array()) {
      const auto parts = read_preimage(tx, hex(signature.at("preimage")));
      std::vector<chain::TxOutput> spent(tx.inputs.size());
      spent[parts.input] = parts.spent;
      const SighashData data(tx, spent);
      EXPECT_EQ(util::to_hex(data.segwit_v0(parts.input, parts.script_code, parts.type).view()),
                signature.at("sighash").as_string().c_str());
      ++count;
    }
  }
  EXPECT_GE(count, 12);
}

// The first example of BIP143.
TEST(Sighash, Bip143NativeP2wpkh) {
  const auto tx = *chain::Transaction::parse(hex(
      "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d2"
      "79655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c9"
      "5a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000"));
  const std::vector<chain::TxOutput> spent{{625'000'000, {}}, {600'000'000, {}}};
  const SighashData data(tx, spent);
  EXPECT_EQ(
      util::to_hex(data.segwit_v0(1, hex("76a9141d0f172a0ecb48aee1be1f2687d2963ae33f71a188ac"), kSighashAll).view()),
      "c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670");
}

TEST(Sighash, Bip341Vectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip341/wallet-test-vectors.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("keyPathSpending").as_array()) {
    const auto tx = transaction(row.at("given").at("rawUnsignedTx"));
    std::vector<chain::TxOutput> spent;
    for (const auto& output : row.at("given").at("utxosSpent").as_array()) {
      spent.push_back({output.at("amountSats").as_int64(), hex(output.at("scriptPubKey"))});
    }
    const SighashData data(tx, spent);
    const auto& inputs = row.at("inputSpending").as_array();
    EXPECT_EQ(inputs.size(), 7U);
    for (const auto& input : inputs) {
      const auto& given = input.at("given");
      const auto digest = data.taproot(static_cast<std::size_t>(given.at("txinIndex").as_int64()),
                                       static_cast<std::uint8_t>(given.at("hashType").as_int64()));
      ASSERT_TRUE(digest);
      EXPECT_EQ(util::to_hex(digest->view()), input.at("intermediary").at("sigHash").as_string().c_str());
    }
  }
}

TEST(Sighash, TaprootKnowsItsTypesOnly) {
  const auto tx = small_transaction(2, 1);
  const std::vector<chain::TxOutput> spent{{5'000, {0x51}}, {6'000, {0x52}}};
  const SighashData data(tx, spent);
  for (unsigned type = 0; type < 256; ++type) {
    const bool known = type <= 3 || (type >= 0x81 && type <= 0x83);
    EXPECT_EQ(data.taproot(0, static_cast<std::uint8_t>(type)).has_value(), known) << type;
  }
  EXPECT_FALSE(data.taproot(1, kSighashSingle)) << "no output for it";
  EXPECT_NE(data.taproot(0, kSighashDefault), data.taproot(0, kSighashAll));
  const util::Bytes annex{0x50};
  EXPECT_NE(data.taproot(0, kSighashDefault), data.taproot(0, kSighashDefault, annex));
  EXPECT_FALSE(SighashData(tx, std::span(spent).first(1)).taproot(0, kSighashDefault)) << "needs all that is spent";
}

TEST(Sighash, SegwitCommitsToAmountsAndTaprootToThoseOfAllInputs) {
  const auto tx = small_transaction(2, 2);
  const std::vector<chain::TxOutput> spent{{5'000, {0x51}}, {6'000, {0x52}}};
  auto other = spent;
  other[1].value += 1;
  const SighashData data(tx, spent);
  const SighashData changed(tx, other);
  EXPECT_EQ(data.segwit_v0(0, hex("ac"), kSighashAll), changed.segwit_v0(0, hex("ac"), kSighashAll));
  EXPECT_NE(data.segwit_v0(1, hex("ac"), kSighashAll), changed.segwit_v0(1, hex("ac"), kSighashAll));
  EXPECT_NE(data.taproot(0, kSighashDefault), changed.taproot(0, kSighashDefault));
  EXPECT_EQ(data.taproot(0, kSighashAll | kSighashAnyoneCanPay),
            changed.taproot(0, kSighashAll | kSighashAnyoneCanPay));
}

}  // namespace
}  // namespace spv::wallet::spend
