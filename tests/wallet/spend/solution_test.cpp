// How the scripts of descriptors are spent.
#include "wallet/spend/solution.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "tests/wallet/spend/spend_samples.h"
#include "wallet/script.h"

namespace spv::wallet::spend {
namespace {

TEST(Solution, HasTheScriptOfTheDescriptor) {
  for (const auto& text : test::all_forms()) {
    const auto descriptor = test::descriptor(text);
    for (const std::uint32_t index : {0U, 5U, 0x7FFF'FFFFU}) {
      const auto solution = solve(descriptor, index);
      ASSERT_TRUE(solution) << text;
      EXPECT_EQ(solution->script_pubkey, descriptor.script_at(index)) << text;
      EXPECT_EQ(solution->is_p2sh(), text.starts_with("sh(")) << text;
      EXPECT_EQ(solution->is_p2wsh(), text.find("wsh(") != std::string::npos) << text;
    }
  }
}

TEST(Solution, NamesEachKeyByItsWholePath) {
  const auto root = test::master();
  for (const auto& text : test::all_forms()) {
    const auto solution = solve(test::descriptor(text), 9);
    ASSERT_TRUE(solution);
    for (const auto& key : solution->keys) {
      ASSERT_TRUE(key.origin);
      EXPECT_EQ(key.origin->fingerprint, root.fingerprint());
      EXPECT_EQ(key.origin->path.back(), 9U);
      const auto derived = root.descend(key.origin->path)->to_public().key().compressed();
      const util::ByteView expected =
          solution->form == SpendForm::Tr ? util::ByteView(derived).subspan(1) : util::ByteView(derived);
      EXPECT_TRUE(std::ranges::equal(key.public_key, expected)) << text;
    }
  }
}

TEST(Solution, WithoutAnOriginThePrintedKeyIsTheRoot) {
  const auto account = test::master().descend({84 | kHardened})->to_public();
  const auto solution = solve(test::descriptor("wpkh(" + account.to_string(test::params()) + "/1/2/3/*)"), 4);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->keys[0].origin->fingerprint, account.fingerprint());
  EXPECT_EQ(solution->keys[0].origin->path, (KeyPath{1, 2, 3, 4}));
  const auto fixed = solve(test::descriptor("wpkh(" + util::to_hex(account.key().compressed()) + ")"), 0);
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->keys[0].origin->fingerprint, account.fingerprint()) << "the key is its own root";
  EXPECT_TRUE(fixed->keys[0].origin->path.empty());
}

TEST(Solution, KeysOfAMultisigStandInTheOrderOfItsScript) {
  for (const char* function : {"multi(2,", "sortedmulti(2,"}) {
    std::string text = "wsh(" + std::string(function);
    for (const std::uint32_t step : {3U, 1U, 2U}) text += test::key_text(test::master(), {step}) + ',';
    text.back() = ')';
    const auto solution = solve(test::descriptor(text + ')'), 0);
    ASSERT_TRUE(solution);
    EXPECT_EQ(solution->threshold, 2U);
    const auto multisig = as_multisig(solution->witness_script);
    ASSERT_TRUE(multisig);
    ASSERT_EQ(multisig->keys.size(), solution->keys.size());
    for (std::size_t i = 0; i < solution->keys.size(); ++i) {
      EXPECT_EQ(multisig->keys[i], solution->keys[i].public_key);
      EXPECT_EQ(util::to_bytes(test::master().descend(solution->keys[i].origin->path)->to_public().key().compressed()),
                solution->keys[i].public_key);
    }
  }
}

TEST(Solution, NothingWhereNoKeyIsKnown) {
  EXPECT_FALSE(solve(test::descriptor("raw(51)"), 0));
  EXPECT_FALSE(solve(test::descriptor("addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)"), 0));
}

TEST(Solution, OfScriptsIsTheSameAsOfDescriptors) {
  for (const auto& text : test::all_forms()) {
    const auto solution = solve(test::descriptor(text), 3);
    const auto again =
        solve_script(solution->script_pubkey, solution->redeem_script, solution->witness_script, solution->keys);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(again->form, solution->form) << text;
    EXPECT_EQ(again->threshold, solution->threshold) << text;
    ASSERT_EQ(again->keys.size(), solution->keys.size()) << text;
    for (std::size_t i = 0; i < again->keys.size(); ++i) {
      EXPECT_EQ(again->keys[i].public_key, solution->keys[i].public_key);
      EXPECT_EQ(again->keys[i].origin->path, solution->keys[i].origin->path);
    }
    EXPECT_EQ(script_code(*again), script_code(*solution));
    const bool by_hash = solution->form != SpendForm::Multi && solution->form != SpendForm::Pk;
    EXPECT_NE(solve_script(solution->script_pubkey, solution->redeem_script, solution->witness_script, {}).has_value(),
              by_hash)
        << text;
  }
}

TEST(Solution, OfScriptsChecksTheHashes) {
  const auto solution = solve(test::descriptor(test::all_forms()[14]), 3);  // sh(wsh(multi))
  auto redeem = solution->redeem_script;
  redeem.back() ^= 1U;
  EXPECT_FALSE(solve_script(solution->script_pubkey, redeem, solution->witness_script, solution->keys));
  auto witness = solution->witness_script;
  witness[5] ^= 1U;
  EXPECT_FALSE(solve_script(solution->script_pubkey, solution->redeem_script, witness, solution->keys));
  EXPECT_FALSE(solve_script(solution->script_pubkey, {}, {}, solution->keys));
  EXPECT_FALSE(solve_script(util::Bytes{0x51}, {}, {}, solution->keys));
  EXPECT_FALSE(solve_script({}, {}, {}, solution->keys));
}

std::vector<SpendKey> known_key(util::ByteView bytes) { return {{util::to_bytes(bytes), std::nullopt}}; }

TEST(Solution, OfProgramsThatNobodyCanSpendIsNothing) {
  const auto key = test::master().to_public().key();
  const auto known = known_key(key.compressed());
  const auto wpkh = p2wpkh_script(util::hash160(key.compressed()));
  EXPECT_TRUE(solve_script(wpkh, {}, {}, known));
  const auto nested = p2sh_script(util::hash160(wpkh));
  EXPECT_TRUE(solve_script(nested, wpkh, {}, known));
  const auto inside = witness_script(0, util::sha256(wpkh).view());
  EXPECT_FALSE(solve_script(inside, {}, wpkh, known)) << "a program inside a witness script";
  const auto x_only = known_key(util::ByteView(key.compressed()).subspan(1));
  const auto tr = witness_script(1, key.taproot_output_key().value());
  EXPECT_TRUE(solve_script(tr, {}, {}, x_only));
  EXPECT_FALSE(solve_script(p2sh_script(util::hash160(tr)), tr, {}, x_only)) << "taproot inside P2SH";
  auto later = tr;
  later[0] = 0x52;
  EXPECT_FALSE(solve_script(later, {}, {}, x_only)) << "version 2";
  EXPECT_FALSE(solve_script(tr, {}, {}, known)) << "a key of the wrong kind";
  EXPECT_FALSE(solve_script(wpkh, {}, {}, x_only));
}

TEST(Solution, OfLongKeysIsNothingInSegwit) {
  const auto key = test::master().to_public().key();
  const auto script = pay_to_key_script(key.uncompressed());
  EXPECT_TRUE(solve_script(script, {}, {}, {}));
  EXPECT_TRUE(solve_script(p2sh_script(util::hash160(script)), script, {}, {}));
  EXPECT_FALSE(solve_script(witness_script(0, util::sha256(script).view()), {}, script, {}));
  const auto by_hash = p2wpkh_script(util::hash160(key.uncompressed()));
  EXPECT_FALSE(solve_script(by_hash, {}, {}, known_key(key.uncompressed())));
  const auto mixed =
      multisig_script(1, std::vector{util::to_bytes(key.compressed()), util::to_bytes(key.uncompressed())});
  EXPECT_TRUE(solve_script(mixed, {}, {}, {}));
  EXPECT_FALSE(solve_script(witness_script(0, util::sha256(mixed).view()), {}, mixed, {}));
}

TEST(Solution, OfSeveralKnownKeysIsByTheOneThatFits) {
  const auto fitting = test::master().to_public().key().compressed();
  auto known = known_key(test::master(2).to_public().key().compressed());
  known.push_back({util::to_bytes(fitting), KeyOrigin{{1, 2, 3, 4}, {7}}});
  const auto solution = solve_script(p2pkh_script(util::hash160(fitting)), {}, {}, known);
  ASSERT_TRUE(solution);
  ASSERT_EQ(solution->keys.size(), 1U);
  EXPECT_EQ(solution->keys[0].origin->path, KeyPath{7});
  known.pop_back();
  EXPECT_FALSE(solve_script(p2pkh_script(util::hash160(fitting)), {}, {}, known));
}

TEST(Solution, MultisigScriptsAreReadAsTheyAreWritten) {
  const std::vector<util::Bytes> keys(20, util::to_bytes(test::master().to_public().key().compressed()));
  for (const std::size_t threshold : {1U, 16U, 17U, 20U}) {
    const auto script = multisig_script(threshold, keys);
    const auto read = as_multisig(script);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->threshold, threshold);
    EXPECT_EQ(read->keys, keys);
    for (std::size_t cut = 0; cut < script.size(); cut += 7) {
      EXPECT_FALSE(as_multisig(util::ByteView(script).first(cut)));
    }
    auto longer = script;
    longer.push_back(0xAE);
    EXPECT_FALSE(as_multisig(longer));
  }
  EXPECT_FALSE(as_multisig(spv::test::hex("0101" + std::string("21") + std::string(66, '2') + "51ae")))
      << "1 has an opcode";
}

}  // namespace
}  // namespace spv::wallet::spend
