// Inputs of every form, signed and finished.
#include "wallet/spend/signer.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "tests/wallet/spend/spend_samples.h"
#include "wallet/spend/input_check.h"
#include "wallet/spend/private_signature.h"
#include "wallet/spend/sign_draft.h"
#include "wallet/spend/signature.h"

namespace spv::wallet::spend {
namespace {

/// Signs something else than it was asked to, as a faulty machine does.
class FaultyKeys final : public SigningKeys {
 public:
  explicit FaultyKeys(const SigningKeys& right) : right_(right) {}
  std::optional<util::Bytes> ecdsa(const SpendKey& key, const util::Hash256& digest) const override {
    return right_.ecdsa(key, util::sha256(digest.view()));
  }
  std::optional<std::array<std::uint8_t, 64>> schnorr(const SpendKey& key, const util::Hash256& digest) const override {
    auto signature = right_.schnorr(key, digest);
    (*signature)[40] ^= 1U;
    return signature;
  }

 private:
  const SigningKeys& right_;
};

class SignerTest : public testing::Test {
 protected:
  util::Rng rng{std::uint64_t{5}};
  SeedKeys keys{test::master()};
};

TEST_F(SignerTest, GivesAsManySignaturesAsAreNeeded) {
  for (const auto& text : test::all_forms()) {
    auto payment = test::payment({test::descriptor(text)}, rng);
    const SighashData data(payment.tx, payment.spent);
    const auto signatures = sign_input(data, 0, payment.solutions[0], keys);
    EXPECT_EQ(signatures.size(), payment.solutions[0].threshold) << text;
    for (const auto& signature : signatures) {
      EXPECT_TRUE(verify_signature(data, 0, payment.solutions[0], signature)) << text;
      const bool taproot = payment.solutions[0].form == SpendForm::Tr;
      EXPECT_LE(signature.signature.size(), taproot ? 64U : 71U);
    }
    EXPECT_TRUE(finish_input(payment.tx.inputs[0], payment.solutions[0], signatures)) << text;
    EXPECT_EQ(payment.tx.has_witness(), payment.solutions[0].is_segwit()) << text;
  }
}

TEST_F(SignerTest, SignatureOfAnotherInputKeyOrTransactionDoesNotVerify) {
  for (const auto& text : test::all_forms()) {
    auto payment = test::payment({test::descriptor(text), test::descriptor(text)}, rng);
    payment.solutions[1] = payment.solutions[0];
    payment.spent[1] = payment.spent[0];
    const SighashData data(payment.tx, payment.spent);
    const auto signature = sign_input(data, 0, payment.solutions[0], keys).at(0);
    EXPECT_TRUE(verify_signature(data, 0, payment.solutions[0], signature));
    EXPECT_FALSE(verify_signature(data, 1, payment.solutions[1], signature)) << text;
    EXPECT_FALSE(verify_signature(data, 2, payment.solutions[1], signature)) << "no such input";
    auto other = payment.tx;
    other.outputs[0].value += 1;
    EXPECT_FALSE(verify_signature(SighashData(other, payment.spent), 0, payment.solutions[0], signature)) << text;
    auto stranger = signature;
    stranger.public_key = util::to_bytes(test::master(2).to_public().key().compressed());
    EXPECT_FALSE(verify_signature(data, 0, payment.solutions[0], stranger)) << text;
    EXPECT_FALSE(verify_signature(data, 0, payment.solutions[0], {signature.public_key, {}})) << text;
  }
}

TEST_F(SignerTest, LeavesOutWhatDoesNotVerify) {
  const FaultyKeys faulty(keys);
  for (const auto& text : test::all_forms()) {
    const auto payment = test::payment({test::descriptor(text)}, rng);
    const SighashData data(payment.tx, payment.spent);
    EXPECT_TRUE(sign_input(data, 0, payment.solutions[0], faulty).empty()) << text;
  }
}

TEST_F(SignerTest, SignsNothingForAnotherOutput) {
  auto payment = test::payment({test::descriptor(test::all_forms()[2])}, rng);
  payment.spent[0].script_pubkey.back() ^= 1U;
  const SighashData data(payment.tx, payment.spent);
  EXPECT_TRUE(sign_input(data, 0, payment.solutions[0], keys).empty());
  EXPECT_TRUE(sign_input(data, 1, payment.solutions[0], keys).empty());
}

TEST_F(SignerTest, UnfinishedInputStaysAsItWas) {
  auto payment = test::payment({test::descriptor(test::all_forms()[10])}, rng);  // wsh(multi(2, ...))
  const SighashData data(payment.tx, payment.spent);
  auto signatures = sign_input(data, 0, payment.solutions[0], keys);
  signatures.pop_back();
  const auto before = payment.tx.inputs[0];
  EXPECT_FALSE(finish_input(payment.tx.inputs[0], payment.solutions[0], signatures));
  EXPECT_FALSE(finish_input(payment.tx.inputs[0], payment.solutions[0], {}));
  EXPECT_EQ(payment.tx.inputs[0], before);
}

TEST_F(SignerTest, MultisigOfThreePartiesStandsInKeyOrderWithoutTheThird) {
  std::string text = "wsh(multi(2";
  for (const unsigned party : {1U, 2U, 3U}) text += ',' + test::key_text(test::master(party), {48 | kHardened});
  auto payment = test::payment({test::descriptor(text + "))")}, rng);
  const auto& solution = payment.solutions[0];
  const SighashData data(payment.tx, payment.spent);
  std::vector<KeySignature> all;
  for (const unsigned party : {3U, 1U, 2U}) {
    const auto one = sign_input(data, 0, solution, SeedKeys(test::master(party)));
    ASSERT_EQ(one.size(), 1U) << "each has one key";
    all.push_back(one[0]);
  }
  ASSERT_TRUE(finish_input(payment.tx.inputs[0], solution, all));
  const auto& witness = payment.tx.inputs[0].witness;
  ASSERT_EQ(witness.size(), 4U);
  EXPECT_TRUE(witness[0].empty());
  EXPECT_EQ(witness[1], all[1].signature);
  EXPECT_EQ(witness[2], all[2].signature);
  EXPECT_EQ(witness[3], solution.witness_script);
}

// The first example of BIP143: the signed transaction comes out byte for byte, but for the grinding of R.
TEST_F(SignerTest, ReproducesTheSignedTransactionOfBip143) {
  const util::Bytes secret = spv::test::hex("619c335025c7f4012e556c2a58b2506e30b8511b53ade95ea316fd8c3286feb9");
  PrivateKey key;
  std::ranges::copy(secret, key.bytes.begin());
  const auto tx = *chain::Transaction::parse(spv::test::hex(
      "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d2"
      "79655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c9"
      "5a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000"));
  const std::vector<chain::TxOutput> spent{
      {625'000'000, {}}, {600'000'000, spv::test::hex("00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1")}};
  const SighashData data(tx, spent);
  const auto solution = solve_script(spent[1].script_pubkey, {}, {},
                                     std::vector<SpendKey>{{util::to_bytes(PublicKey::of(key)->compressed()), {}}});
  ASSERT_TRUE(solution);
  const auto digest = data.segwit_v0(1, script_code(*solution), kSighashAll);
  auto signature = sign_ecdsa(key, digest).value();
  EXPECT_EQ(
      util::to_hex(signature),
      "304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3"
      "358f51928d43c212a8caed02de67eebee");
  signature.push_back(kSighashAll);
  EXPECT_TRUE(verify_signature(data, 1, *solution, {solution->keys[0].public_key, signature}));
}

TEST_F(SignerTest, SeedKeysUseAKeyOnlyIfItIsTheOneNamed) {
  const auto root = test::master();
  const KeyPath path{84 | kHardened, 0, 3};
  const SpendKey right{util::to_bytes(root.descend(path)->to_public().key().compressed()),
                       KeyOrigin{root.fingerprint(), path}};
  const util::Hash256 digest = util::sha256(util::Bytes{1});
  const auto signature = keys.ecdsa(right, digest);
  ASSERT_TRUE(signature);
  EXPECT_TRUE(verify_ecdsa(right.public_key, digest, *signature));
  EXPECT_EQ(keys.ecdsa(right, digest), signature) << "the second time from the parent that was kept";

  auto other_path = right;
  other_path.origin->path.back() = 4;
  EXPECT_FALSE(keys.ecdsa(other_path, digest));
  auto other_master = right;
  other_master.origin->fingerprint[0] ^= 1U;
  EXPECT_FALSE(keys.ecdsa(other_master, digest));
  auto no_origin = right;
  no_origin.origin.reset();
  EXPECT_FALSE(keys.ecdsa(no_origin, digest));
  auto too_deep = right;
  too_deep.origin->path.assign(256, 0);
  EXPECT_FALSE(keys.ecdsa(too_deep, digest));
  EXPECT_FALSE(keys.schnorr(too_deep, digest));
  SpendKey own{util::to_bytes(root.to_public().key().compressed()), KeyOrigin{root.fingerprint(), {}}};
  EXPECT_TRUE(keys.ecdsa(own, digest)) << "the master key itself";
  own.public_key = util::to_bytes(root.to_public().key().uncompressed());
  EXPECT_TRUE(keys.ecdsa(own, digest)) << "in its long form";
}

TEST_F(SignerTest, ADraftIsSignedAsAWholeOrNotAtAll) {
  std::vector<Descriptor> forms;
  for (const auto& text : test::all_forms()) forms.push_back(test::descriptor(text));
  const auto payment = test::payment(forms, rng);
  Draft draft;
  draft.tx = payment.tx;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    draft.inputs.push_back({.outpoint = payment.tx.inputs[i].previous,
                            .spent = payment.spent[i],
                            .key = std::nullopt,
                            .solution = payment.solutions[i],
                            .previous = std::nullopt});
  }
  const auto finished = sign_draft(draft, keys);
  ASSERT_TRUE(finished);
  const SighashData data(*finished, payment.spent);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(check_input(data, i).verdict, InputVerdict::Valid) << test::all_forms()[i];
  }
  EXPECT_EQ(sign_draft(draft, SeedKeys(test::master(2))).error().code, "cannot-sign");
  draft.inputs.back().solution.reset();
  EXPECT_EQ(sign_draft(draft, keys).error().code, "cannot-sign");
}

TEST_F(SignerTest, SeedKeysForgetParentsRatherThanKeepThousands) {
  const auto root = test::master();
  const util::Hash256 digest = util::sha256(util::Bytes{2});
  for (std::uint32_t i = 0; i < 200; ++i) {
    const KeyPath path{i, 1};
    const SpendKey key{util::to_bytes(root.descend(path)->to_public().key().compressed()),
                       KeyOrigin{root.fingerprint(), path}};
    ASSERT_TRUE(keys.ecdsa(key, digest)) << i;
  }
}

}  // namespace
}  // namespace spv::wallet::spend
