#include "wallet/spend/input_weight.h"

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"
#include "wallet/script.h"

namespace spv::wallet::spend {
namespace {

SpendKey spend_key(std::size_t size = 33) { return {.public_key = util::Bytes(size, 2), .origin = std::nullopt}; }

Solution single(SpendForm form, std::size_t key_size = 33) {
  Solution solution;
  solution.form = form;
  solution.keys.push_back(spend_key(key_size));
  return solution;
}

Solution multisig(std::size_t needed, std::size_t keys) {
  Solution solution;
  solution.form = SpendForm::Multi;
  solution.keys.assign(keys, spend_key());
  solution.threshold = needed;
  return solution;
}

std::size_t multisig_script_size(std::size_t keys) { return 3 + 34 * keys; }

/// The weight of a transaction with one such input and no outputs, less what is not of the input.
std::int64_t measured(const util::Bytes& script_sig, const std::vector<util::Bytes>& witness) {
  chain::Transaction tx;
  tx.inputs.push_back({.previous = {}, .script_sig = script_sig, .sequence = 0, .witness = witness});
  const auto stripped = static_cast<std::int64_t>(tx.serialized_size(chain::Witness::Strip));
  const auto whole = static_cast<std::int64_t>(tx.serialized_size());
  return 3 * stripped + whole - 4 * 10 - (witness.empty() ? 0 : 2);
}

TEST(InputWeight, IsThatOfTheDesign) {
  EXPECT_EQ(input_weight(single(SpendForm::Wpkh)), (InputWeight{271, true}));
  EXPECT_EQ(input_weight(single(SpendForm::Tr, 32)), (InputWeight{230, true}));
  EXPECT_EQ(input_weight(single(SpendForm::Pkh)), (InputWeight{588, false}));
  auto nested = single(SpendForm::Wpkh);
  nested.redeem_script = util::Bytes(22);
  EXPECT_EQ(input_weight(nested), (InputWeight{363, true}));
}

TEST(InputWeight, OfOneKeyIsThatOfTheBytes) {
  const util::Bytes signature(71, 1);
  EXPECT_EQ(input_weight(single(SpendForm::Wpkh)).weight, measured({}, {signature, util::Bytes(33)}));
  EXPECT_EQ(input_weight(single(SpendForm::Tr, 32)).weight, measured({}, {util::Bytes(64)}));
  EXPECT_EQ(input_weight(single(SpendForm::Pk)).weight, measured(util::Bytes(72), {}));
  EXPECT_EQ(input_weight(single(SpendForm::Pkh)).weight, measured(util::Bytes(72 + 34), {}));
  EXPECT_EQ(input_weight(single(SpendForm::Pkh, 65)).weight, measured(util::Bytes(72 + 66), {}));
  auto wsh = single(SpendForm::Pk);
  wsh.witness_script = util::Bytes(35);
  EXPECT_EQ(input_weight(wsh), (InputWeight{measured({}, {signature, util::Bytes(35)}), true}));
}

TEST(InputWeight, OfOtherSignersHasALongerSignature) {
  EXPECT_EQ(input_weight(single(SpendForm::Wpkh), SignatureSize::Any).weight, 272);
  EXPECT_EQ(input_weight(single(SpendForm::Pkh), SignatureSize::Any).weight, 592);
  EXPECT_EQ(input_weight(single(SpendForm::Tr, 32), SignatureSize::Any).weight, 230);
}

TEST(InputWeight, OfAMultisigIsThatOfItsScript) {
  for (const auto& [needed, keys] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {2, 3}, {3, 5}, {15, 15}}) {
    const util::Bytes script(multisig_script_size(keys));
    std::vector<util::Bytes> witness(needed + 1, util::Bytes(72, 1));
    witness.front().clear();
    witness.push_back(script);
    auto wsh = multisig(needed, keys);
    wsh.witness_script = script;
    EXPECT_EQ(input_weight(wsh), (InputWeight{measured({}, witness), true}));
    wsh.redeem_script = util::Bytes(34);
    EXPECT_EQ(input_weight(wsh), (InputWeight{measured(util::Bytes(35), witness), true}));
    auto sh = multisig(needed, keys);
    sh.redeem_script = script;
    const std::size_t push = script.size() <= 75 ? 1 : (script.size() <= 255 ? 2 : 3);
    EXPECT_EQ(input_weight(sh),
              (InputWeight{measured(util::Bytes(1 + 73 * needed + push + script.size()), {}), false}));
    EXPECT_EQ(input_weight(multisig(needed, keys)), (InputWeight{measured(util::Bytes(1 + 73 * needed), {}), false}));
  }
}

TEST(InputWeight, OfAPushIsThatOfItsShortestForm) {
  // What it takes before the script itself.
  for (const auto& [size, push] :
       std::vector<std::pair<std::size_t, std::size_t>>{{2, 1}, {75, 1}, {76, 2}, {255, 2}, {256, 3}, {520, 3}}) {
    auto sh = single(SpendForm::Pk);
    sh.redeem_script = util::Bytes(size);
    EXPECT_EQ(input_weight(sh).weight, measured(util::Bytes(72 + push + size), {})) << size;
  }
}

TEST(InputWeight, OfAnUnknownKeyIsThatOfACompressedOne) {
  auto unknown = single(SpendForm::Wpkh);
  unknown.keys.clear();
  EXPECT_EQ(input_weight(unknown), input_weight(single(SpendForm::Wpkh)));
}

TEST(InputWeight, OfAScriptAloneIsKnownForSingleKeys) {
  EXPECT_EQ(input_weight_of_script(test::wpkh_script(1)), (InputWeight{272, true}));
  EXPECT_EQ(input_weight_of_script(test::tr_script(1)), (InputWeight{230, true}));
  EXPECT_EQ(input_weight_of_script(test::pkh_script(1)), (InputWeight{592, false}));
  EXPECT_EQ(input_weight_of_script(test::sh_script(1)), std::nullopt);
  EXPECT_EQ(input_weight_of_script(util::Bytes{}), std::nullopt);
}

TEST(DustThreshold, IsThatOfNodes) {
  EXPECT_EQ(dust_threshold(test::wpkh_script(1)), 294);
  EXPECT_EQ(dust_threshold(test::tr_script(1)), 330);
  EXPECT_EQ(dust_threshold(test::pkh_script(1)), 546);
  EXPECT_EQ(dust_threshold(test::sh_script(1)), 540);
  EXPECT_EQ(dust_threshold(util::Bytes{0x6A, 0x01, 0x07}), 0);
  EXPECT_EQ(dust_threshold(test::wpkh_script(1), FeeRate(10'000)), 980);
  EXPECT_EQ(dust_threshold({}), 471);
}

TEST(WeightCount, IsThatOfTheSerializedTransaction) {
  for (const std::size_t inputs : {1U, 2U, 252U, 253U, 300U}) {
    for (const std::size_t legacy : {std::size_t{0}, std::size_t{1}, inputs}) {
      for (const std::size_t outputs : {1U, 253U}) {
        chain::Transaction tx;
        WeightCount count;
        for (std::size_t i = 0; i < inputs; ++i) {
          const bool old = i < legacy;
          chain::TxInput input;
          if (old) input.script_sig = util::Bytes(106);
          if (!old) input.witness = {util::Bytes(71), util::Bytes(33)};
          tx.inputs.push_back(input);
          count.add_input(input_weight(single(old ? SpendForm::Pkh : SpendForm::Wpkh)));
        }
        for (std::size_t i = 0; i < outputs; ++i) {
          tx.outputs.push_back({.value = 1, .script_pubkey = test::tr_script(1)});
          count.add_output(test::tr_script(1));
        }
        const auto weight = 3 * tx.serialized_size(chain::Witness::Strip) + tx.serialized_size();
        EXPECT_EQ(count.weight(), static_cast<std::int64_t>(weight)) << inputs << " " << legacy << " " << outputs;
      }
    }
  }
}

TEST(WeightCount, CountsAnExpectedWitness) {
  WeightCount count;
  count.add_input({588, false});
  const auto before = count.weight();
  count.expect_segwit();
  EXPECT_EQ(count.weight(), before + 3);
}

TEST(OutputKind, IsToldByTheScript) {
  EXPECT_EQ(output_kind(test::pkh_script(1)), OutputKind::P2pkh);
  EXPECT_EQ(output_kind(test::sh_script(1)), OutputKind::P2sh);
  EXPECT_EQ(output_kind(test::wpkh_script(1)), OutputKind::P2wpkh);
  EXPECT_EQ(output_kind(test::tr_script(1)), OutputKind::P2tr);
  auto wsh = test::tr_script(1);
  wsh[0] = 0;
  EXPECT_EQ(output_kind(wsh), OutputKind::P2wsh);
  wsh[0] = 0x52;
  EXPECT_EQ(output_kind(wsh), OutputKind::Other);
  EXPECT_EQ(output_kind(util::Bytes{0x51, 0x02, 0x4E, 0x73}), OutputKind::Other);
  for (const int version : {0, 1}) {
    for (const std::size_t size : {19U, 20U, 21U, 31U, 32U, 33U}) {
      const bool known = size == 32 || (version == 0 && size == 20);
      EXPECT_EQ(output_kind(witness_script(version, util::Bytes(size))) != OutputKind::Other, known)
          << version << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace spv::wallet::spend
