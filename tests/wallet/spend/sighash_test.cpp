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
