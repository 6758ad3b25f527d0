// The limits of consensus and policy for finished inputs: each is met, and missed by one.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/spend/spend_samples.h"
#include "util/hash.h"
#include "wallet/script.h"
#include "wallet/spend/input_check.h"
#include "wallet/spend/push.h"

namespace spv::wallet::spend {
namespace {

constexpr auto kValid = InputVerdict::Valid;
constexpr auto kInvalid = InputVerdict::Invalid;
constexpr auto kUnknown = InputVerdict::Unknown;

InputCheck checked(const test::Payment& payment) { return check_input(SighashData(payment.tx, payment.spent), 0); }
InputVerdict verdict_of(const test::Payment& payment) { return checked(payment).verdict; }

/// One coin of this descriptor, not signed.
test::Payment unsigned_payment(const std::string& text) {
  util::Rng rng(std::uint64_t{31});
  return test::payment({test::descriptor(text)}, rng);
}
test::Payment finished_payment(const std::string& text) {
  auto payment = unsigned_payment(text);
  EXPECT_TRUE(test::sign_all(payment, SeedKeys(test::master())));
  return payment;
}

/// One coin of this script, spent by these pushes and this witness.
test::Payment spending(const util::Bytes& script, const std::vector<util::Bytes>& pushes,
                       const std::vector<util::Bytes>& witness = {}) {
  auto payment = unsigned_payment(test::all_forms()[2]);
  payment.spent[0].script_pubkey = script;
  for (const auto& item : pushes) append_push(payment.tx.inputs[0].script_sig, item);
  payment.tx.inputs[0].witness = witness;
  return payment;
}

std::string key(std::uint32_t number) { return test::key_text(test::master(), {number}); }

TEST(InputLimits, ScriptSigHasAtMost1650Bytes) {
  const auto verdict = [](std::size_t size) {
    auto payment = spending({0x51}, {});
    payment.tx.inputs[0].script_sig.assign(size, 0x61);
    return verdict_of(payment);
  };
  EXPECT_EQ(verdict(1'650), kUnknown);
  EXPECT_EQ(verdict(1'651), kInvalid);
}

TEST(InputLimits, APushHasAtMost520Bytes) {
  const auto verdict = [](std::size_t size) {
    const util::Bytes redeem(size, 0x61);
    return verdict_of(spending(p2sh_script(util::hash160(redeem)), {redeem}));
  };
  EXPECT_EQ(verdict(2), kUnknown);
  EXPECT_EQ(verdict(520), kUnknown);
  EXPECT_EQ(verdict(521), kInvalid);
}

TEST(InputLimits, ABareMultisigHasAtMostThreeKeys) {
  EXPECT_EQ(verdict_of(finished_payment("multi(1," + key(1) + ',' + key(2) + ',' + key(3) + ")")), kValid);
  // Descriptors know none of four.
  std::vector<util::Bytes> keys;
  for (const std::uint32_t number : {1U, 2U, 3U, 4U}) {
    keys.push_back(util::to_bytes(test::master().descend({number})->to_public().key().compressed()));
  }
  EXPECT_EQ(verdict_of(spending(multisig_script(1, keys), {})), kUnknown);
  keys.pop_back();
  EXPECT_EQ(verdict_of(spending(multisig_script(1, keys), {})), kInvalid) << "nothing signs";
}

TEST(InputLimits, ProgramsOfVersion0Have20Or32Bytes) {
  for (const std::size_t size : {2U, 19U, 21U, 31U, 33U, 40U}) {
    EXPECT_EQ(verdict_of(spending(witness_script(0, util::Bytes(size)), {})), kInvalid) << size;
    EXPECT_EQ(verdict_of(spending(witness_script(1, util::Bytes(size)), {})), kUnknown) << size;
  }
  EXPECT_EQ(verdict_of(spending(witness_script(2, util::Bytes(32)), {})), kUnknown);
}

TEST(InputLimits, OtherProgramsInsideP2shAreUnknown) {
  const auto nested = witness_script(1, util::Bytes(32));
  const auto script = p2sh_script(util::hash160(nested));
  EXPECT_EQ(verdict_of(spending(script, {nested})), kUnknown);
  EXPECT_EQ(verdict_of(spending(script, {util::Bytes{}, nested})), kInvalid) << "BIP141: the one push and nothing else";
}

TEST(InputLimits, NothingIsPushedBehindASignature) {
  for (const std::string function : {"pk(", "pkh("}) {
    auto payment = finished_payment(function + key(1) + ")");
    append_push(payment.tx.inputs[0].script_sig, {});
    EXPECT_EQ(verdict_of(payment), kInvalid) << function;
  }
  for (const std::string function : {"wsh(pk(", "wsh(pkh(", "wsh(multi(1,"}) {
    auto payment = finished_payment(function + key(1) + "))");
    auto& witness = payment.tx.inputs[0].witness;
    witness.insert(witness.end() - 1, util::Bytes{});
    EXPECT_EQ(verdict_of(payment), kInvalid) << function;
  }
  auto wpkh = finished_payment(test::all_forms()[2]);
  wpkh.tx.inputs[0].witness.emplace_back();
  EXPECT_EQ(verdict_of(wpkh), kInvalid);
}

TEST(InputLimits, AKeyOfAnotherHashSignsNothing) {
  const auto good = finished_payment("wpkh(" + key(1) + ")");
  auto other = good;
  other.solutions[0].keys = unsigned_payment("wpkh(" + key(2) + ")").solutions[0].keys;
  // Its signature is right, over the script that is spent.
  const SighashData data(good.tx, good.spent);
  const auto digest = data.segwit_v0(0, script_code(good.solutions[0]), kSighashAll);
  auto signature = SeedKeys(test::master()).ecdsa(other.solutions[0].keys[0], digest).value();
  signature.push_back(kSighashAll);
  other.tx.inputs[0].witness = {signature, other.solutions[0].keys[0].public_key};
  EXPECT_EQ(verdict_of(good), kValid);
  EXPECT_EQ(verdict_of(other), kInvalid);
}

/// A payment from a multisig, one of these keys, signed by the first.
test::Payment one_of(const std::vector<util::Bytes>& others, bool segwit) {
  auto payment = unsigned_payment((segwit ? "wsh(multi(1," : "sh(multi(1,") + key(1) + "))");
  auto& solution = payment.solutions[0];
  std::vector<util::Bytes> keys{solution.keys[0].public_key};
  keys.insert(keys.end(), others.begin(), others.end());
  const auto script = multisig_script(1, keys);
  if (segwit) {
    solution.witness_script = script;
    solution.script_pubkey = witness_script(0, util::sha256(script).view());
  } else {
    solution.redeem_script = script;
    solution.script_pubkey = p2sh_script(util::hash160(script));
  }
  payment.spent[0].script_pubkey = solution.script_pubkey;
  EXPECT_TRUE(test::sign_all(payment, SeedKeys(test::master())));
  return payment;
}

TEST(InputLimits, EveryKeyOfAMultisigHasAStandardForm) {
  struct Row {
    std::size_t size;
    std::uint8_t first;
    InputVerdict legacy;
    InputVerdict segwit;
  };
  for (const auto& row : {Row{33, 2, kValid, kValid}, Row{33, 3, kValid, kValid}, Row{33, 4, kInvalid, kInvalid},
                          Row{33, 1, kInvalid, kInvalid}, Row{65, 4, kValid, kInvalid}, Row{65, 6, kInvalid, kInvalid},
                          Row{65, 2, kInvalid, kInvalid}}) {
    util::Bytes other(row.size, 7);
    other[0] = row.first;
    EXPECT_EQ(verdict_of(one_of({other}, false)), row.legacy) << row.size << ' ' << int{row.first};
    EXPECT_EQ(verdict_of(one_of({other}, true)), row.segwit) << row.size << ' ' << int{row.first};
  }
}

TEST(InputLimits, SegwitKeysAreCompressed) {
  const auto root = test::master();
  const SpendKey own{util::to_bytes(root.to_public().key().uncompressed()), KeyOrigin{root.fingerprint(), {}}};
  const auto script = pay_to_key_script(own.public_key);
  const auto legacy = spending(script, {});
  const auto segwit = spending(witness_script(0, util::sha256(script).view()), {});
  const auto sign = [&](const util::Hash256& digest) {
    auto signature = SeedKeys(root).ecdsa(own, digest).value();
    signature.push_back(kSighashAll);
    return signature;
  };
  const auto old = sign(SighashData(legacy.tx, legacy.spent).legacy(0, script, kSighashAll));
  EXPECT_EQ(verdict_of(spending(script, {old})), kValid);
  const auto made = sign(SighashData(segwit.tx, segwit.spent).segwit_v0(0, script, kSighashAll));
  EXPECT_EQ(verdict_of(spending(segwit.spent[0].script_pubkey, {}, {made, script})), kInvalid);
}

TEST(InputLimits, AnEmptySignatureSignsNothing) {
  for (const std::string function : {"wsh(pk(", "wsh(pkh("}) {
    auto payment = finished_payment(function + key(1) + "))");
    payment.tx.inputs[0].witness[0].clear();
    EXPECT_EQ(verdict_of(payment), kInvalid) << function;
  }
}

/// Replaces the only signature of an input.
void put_signature(test::Payment& payment, const util::Bytes& signature) {
  if (payment.solutions[0].is_segwit()) {
    payment.tx.inputs[0].witness[0] = signature;
  } else {
    payment.tx.inputs[0].script_sig.clear();
    append_push(payment.tx.inputs[0].script_sig, signature);
  }
}

TEST(InputLimits, SignaturesAreOfATypeThatIsDefined) {
  for (const std::string function : {"pk(", "wpkh(", "tr("}) {
    auto payment = finished_payment(function + key(1) + ")");
    const bool taproot = function == "tr(";
    for (unsigned type = 0; type < 256; ++type) {
      const unsigned outputs = type & 0x7FU;
      const bool defined = (outputs >= 1 && outputs <= 3) || (taproot && type == 0);
      auto signature = test::signature_of_type(payment, static_cast<std::uint8_t>(type));
      if (signature.empty()) {
        signature = test::signature_of_type(payment, kSighashAll);
        signature.back() = static_cast<std::uint8_t>(type);
      }
      put_signature(payment, signature);
      const auto found = checked(payment);
      EXPECT_EQ(found.verdict, defined ? kValid : kInvalid) << function << type;
      EXPECT_EQ(found.signs_all, defined && type <= 1) << function << type;
    }
  }
}

TEST(InputLimits, TaprootSignaturesHave64BytesOr65WithTheirType) {
  auto payment = finished_payment("tr(" + key(1) + ")");
  const auto good = payment.tx.inputs[0].witness[0];
  ASSERT_EQ(good.size(), 64U);
  EXPECT_EQ(verdict_of(payment), kValid);
  auto longer = good;
  longer.push_back(kSighashDefault);
  put_signature(payment, longer);
  EXPECT_EQ(verdict_of(payment), kInvalid) << "DEFAULT is not written";
  auto named = test::signature_of_type(payment, kSighashAll);
  put_signature(payment, named);
  EXPECT_EQ(verdict_of(payment), kValid);
  named.push_back(kSighashAll);
  put_signature(payment, named);
  EXPECT_EQ(verdict_of(payment), kInvalid);
  for (const std::size_t size : {0U, 1U, 63U}) {
    put_signature(payment, util::Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(verdict_of(payment), kInvalid) << size;
  }
}

TEST(InputLimits, EachSignatureOfAMultisigHasItsOwnType) {
  auto payment = finished_payment("wsh(multi(2," + key(1) + ',' + key(2) + "))");
  auto& witness = payment.tx.inputs[0].witness;
  EXPECT_TRUE(checked(payment).signs_all);
  for (const auto& [first, second] : {std::pair(kSighashAll, kSighashNone), std::pair(kSighashNone, kSighashAll),
                                      std::pair(kSighashNone, kSighashSingle)}) {
    witness[1] = test::signature_of_type(payment, first, 0);
    witness[2] = test::signature_of_type(payment, second, 1);
    EXPECT_EQ(verdict_of(payment), kValid);
    EXPECT_FALSE(checked(payment).signs_all);
  }
}

TEST(InputLimits, EveryInputNeedsTheOutputThatItSpends) {
  auto payment = finished_payment(test::all_forms()[2]);
  payment.spent.push_back(payment.spent[0]);
  EXPECT_EQ(verdict_of(payment), kInvalid);
  payment.spent.clear();
  EXPECT_EQ(verdict_of(payment), kInvalid);
}

}  // namespace
}  // namespace spv::wallet::spend
