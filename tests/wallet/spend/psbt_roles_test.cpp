// The roles of PSBTs: from a draft to a transaction in every script form, by one party and by several, and the steps of
// Bitcoin Core's vectors.
#include "wallet/spend/psbt_roles.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "tests/wallet/spend/psbt_samples.h"
#include "util/hash.h"
#include "util/hex.h"
#include "wallet/base58.h"
#include "wallet/spend/private_signature.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_summary.h"

namespace spv::wallet::spend {
namespace {

using test::PsbtParty;
using test::PsbtTestWallet;
using ::testing::HasSubstr;
using Code = PsbtErrorCode;

Psbt read_text(std::string_view text) { return read_psbt(util::as_bytes(text)).value(); }

/// The bytes that travel between the parties.
Psbt sent(const Psbt& psbt) {
  auto read = parse_psbt(serialize(psbt));
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, psbt);
  return *read;
}

/// Bitcoin Core writes the fields of inputs by type; we keep the order of the file.
std::string in_core_order(Psbt psbt) {
  for (auto& map : psbt.inputs) {
    auto fields = map.fields();
    std::ranges::stable_sort(fields, {}, &PsbtField::type);
    map = {};
    for (auto& field : fields) map.append(std::move(field));
  }
  return to_base64(psbt);
}

struct FormCase {
  const char* name;
  const char* before;  // around the key
  const char* after;
  bool is_segwit;
};
void PrintTo(const FormCase& form, std::ostream* out) { *out << form.name; }

class PsbtForms : public ::testing::TestWithParam<std::tuple<FormCase, std::uint32_t>> {};

TEST_P(PsbtForms, GoFromDraftToTransaction) {
  const auto& [form, version] = GetParam();
  const PsbtParty alice(1);
  PsbtTestWallet wallet(&alice);
  wallet.watch(form.before + alice.key_text(test::psbt_account()) + form.after);
  const auto coin = test::psbt_coin(wallet.script_of(0, 3), 100'000);
  const auto second = test::psbt_coin(wallet.script_of(1, 2), 50'000);
  wallet.know(coin, 1);
  wallet.know(second, 1);
  const auto draft = test::psbt_draft(wallet, {coin, second}, 70'000, wallet.script_of(1, 4), 79'000);
  const auto created = create_psbt(draft, version);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(created->version, version);
  EXPECT_EQ(created->inputs[0].has(psbt_in::kWitnessUtxo), form.is_segwit);
  EXPECT_EQ(created->inputs[0].has(psbt_in::kNonWitnessUtxo), std::string_view(form.name) != "tr");

  const auto before = describe(sent(*created), wallet);
  EXPECT_TRUE(before.warnings.empty()) << before.warnings[0];
  EXPECT_EQ(before.fee, 1'000);
  EXPECT_FALSE(before.complete);
  EXPECT_FALSE(finalize_psbt(*created));

  const auto signed_by_us = sign_psbt(sent(*created), wallet, alice.keys);
  ASSERT_TRUE(signed_by_us) << signed_by_us.error().message;
  EXPECT_EQ(signed_by_us->signatures, 2U);
  const auto complete = describe(sent(signed_by_us->psbt), wallet);
  EXPECT_TRUE(complete.complete);
  const auto final = finalize_psbt(signed_by_us->psbt);
  ASSERT_TRUE(final) << final.error().message;
  const auto tx = extract_transaction(sent(*final));
  ASSERT_TRUE(tx) << tx.error().message;
  EXPECT_EQ(tx->txid().bytes == draft.tx.txid().bytes, tx->inputs[0].script_sig.empty());
  EXPECT_EQ(tx->has_witness(), form.is_segwit);
  const auto weight = 3 * tx->serialized_size(chain::Witness::Strip) + tx->serialized_size();
  // One signature in 128 happens to be a byte shorter than it may be.
  const auto vsize = virtual_bytes(static_cast<std::int64_t>(weight));
  EXPECT_GE(before.vsize, vsize);
  EXPECT_LE(before.vsize, vsize + 2);
  EXPECT_EQ(describe(*final, wallet).vsize, vsize);
}

INSTANTIATE_TEST_SUITE_P(
    All, PsbtForms,
    ::testing::Combine(::testing::Values(FormCase{"pkh", "pkh(", ")", false}, FormCase{"wpkh", "wpkh(", ")", true},
                                         FormCase{"sh-wpkh", "sh(wpkh(", "))", true}, FormCase{"tr", "tr(", ")", true},
                                         FormCase{"pk", "pk(", ")", false},
                                         FormCase{"sh-multi", "sh(multi(1,", "))", false},
                                         FormCase{"wsh-multi", "wsh(multi(1,", "))", true},
                                         FormCase{"sh-wsh-multi", "sh(wsh(multi(1,", ")))", true},
                                         FormCase{"wsh-pkh", "wsh(pkh(", "))", true}),
                       ::testing::Values(0U, 2U)));

TEST(PsbtCreate, WritesThePreviousTransactionWithoutWitness) {
  const PsbtParty alice(1);
  PsbtTestWallet wallet(&alice);
  wallet.watch("wpkh(" + alice.key_text(test::psbt_account()) + ")");
  auto coin = test::psbt_coin(wallet.script_of(0, 0), 100'000);
  coin.inputs[0].witness = {util::Bytes(71, 7)};
  auto draft = test::psbt_draft(wallet, {coin}, 90'000);
  const auto psbt = create_psbt(draft).value();
  EXPECT_EQ(bytes_in(psbt.inputs[0], psbt_in::kNonWitnessUtxo), coin.serialize(chain::Witness::Strip));
  draft.inputs[0].previous.reset();
  EXPECT_EQ(create_psbt(draft).error().code, Code::NoPrevious);
}

TEST(PsbtUpdate, AddsWhatTheWalletKnowsAndKeepsTheRest) {
  const PsbtParty alice(1);
  for (const char* form : {"wpkh(", "sh(wpkh(", "tr(", "pkh("}) {
    PsbtTestWallet wallet(&alice);
    wallet.watch(form + alice.key_text(test::psbt_account()) + (std::string_view(form) == "sh(wpkh(" ? "))" : ")"));
    const auto coin = test::psbt_coin(wallet.script_of(0, 1), 100'000);
    wallet.know(coin, 1);
    const auto draft = test::psbt_draft(wallet, {coin}, 60'000, wallet.script_of(1, 0), 39'000);
    Psbt bare = new_psbt(draft.tx);
    EXPECT_EQ(update_psbt(bare, wallet).value(), create_psbt(draft).value()) << form;
    bare.inputs[0].set(0xF0, util::Bytes{1, 2}, util::Bytes{3});
    const auto updated = update_psbt(bare, wallet).value();
    EXPECT_TRUE(updated.inputs[0].find(0xF0, util::Bytes{1, 2}));
    EXPECT_EQ(update_psbt(updated, wallet).value(), updated) << "twice is once";
  }
}

/// Three parties that share an account; nobody has ever been online.
struct Multisig {
  std::vector<std::unique_ptr<PsbtParty>> parties;
  PsbtTestWallet watcher;
  Draft draft;

  explicit Multisig(const std::string& before = "wsh(sortedmulti(2,", const std::string& after = "))") {
    std::string text = before;
    for (std::uint8_t i = 0; i < 3; ++i) {
      parties.push_back(std::make_unique<PsbtParty>(static_cast<std::uint8_t>(i + 1)));
      text += (i == 0 ? "" : ",") + parties[i]->key_text({kHardened + 48, kHardened + 1, kHardened});
    }
    watcher.watch(text + after);
    const auto coin = test::psbt_coin(watcher.script_of(0, 0), 100'000);
    watcher.know(coin, 1);
    draft = test::psbt_draft(watcher, {coin}, 60'000, watcher.script_of(1, 0), 39'000);
  }
};

TEST(PsbtMultisig, ThreePartiesSignTwoOfThree) {
  for (const auto& [before, after] : {std::pair("wsh(sortedmulti(2,", "))"), std::pair("sh(wsh(sortedmulti(2,", ")))"),
                                      std::pair("sh(sortedmulti(2,", "))"), std::pair("multi(2,", ")")}) {
    const Multisig shared(before, after);
    const auto created = create_psbt(shared.draft).value();
    std::vector<Psbt> parts;
    for (const auto& party : shared.parties) {
      const PsbtTestWallet never_online(party.get());
      auto part = sign_psbt(sent(created), never_online, party->keys);
      ASSERT_TRUE(part) << before << part.error().message;
      EXPECT_EQ(part->signatures, 1U);
      const auto summary = describe(part->psbt, never_online);
      EXPECT_TRUE(summary.inputs[0].ours);
      EXPECT_EQ(summary.inputs[0].path, "m/48'/1'/0'/0/0");
      EXPECT_EQ(summary.inputs[0].evidence, Evidence::Previous);
      EXPECT_EQ(summary.inputs[0].signatures, 1U);
      EXPECT_EQ(summary.inputs[0].needs, 2U);
      EXPECT_FALSE(summary.outputs[1].ours) << "other keys may spend it";
      const auto missing = finalize_psbt(part->psbt);
      ASSERT_FALSE(missing);
      EXPECT_EQ(missing.error().code, Code::Incomplete);
      EXPECT_THAT(missing.error().message, HasSubstr("input 0 lacks 1 of 2 signatures"));
      parts.push_back(std::move(part->psbt));
    }
    for (const auto& [a, b] : {std::pair(0U, 1U), std::pair(2U, 0U), std::pair(1U, 2U)}) {
      const auto combined = combine_psbts(std::vector{parts[a], parts[b]});
      ASSERT_TRUE(combined) << combined.error().message;
      const auto tx = extract_transaction(finalize_psbt(sent(*combined)).value());
      EXPECT_TRUE(tx) << before;
    }
    EXPECT_TRUE(finalize_psbt(combine_psbts(parts).value()));
    EXPECT_TRUE(describe(parts[0], shared.watcher).outputs[1].change);
  }
}

TEST(PsbtSign, TaprootNamesAllWhereTheFileAsksForIt) {
  const PsbtParty alice(1);
  PsbtTestWallet wallet(&alice);
  wallet.watch("tr(" + alice.key_text(test::psbt_account()) + ")");
  const auto coin = test::psbt_coin(wallet.script_of(0, 0), 100'000);
  wallet.know(coin, 1);
  auto psbt = create_psbt(test::psbt_draft(wallet, {coin}, 90'000)).value();
  psbt.inputs[0].set(psbt_in::kSighashType, encode_little_endian(kSighashAll));
  const auto done = sign_psbt(psbt, wallet, alice.keys).value();
  const auto signature = bytes_in(done.psbt.inputs[0], psbt_in::kTapKeySignature);
  ASSERT_EQ(signature.size(), 65U);
  EXPECT_EQ(signature.back(), kSighashAll);
  EXPECT_TRUE(finalize_psbt(done.psbt));
  const auto again = sign_psbt(done.psbt, wallet, alice.keys).value();
  EXPECT_EQ(again.signatures, 0U);
  EXPECT_EQ(again.psbt, done.psbt);
}

TEST(PsbtSign, ClearsTheModifiableFlags) {
  const Multisig shared;
  auto psbt = create_psbt(shared.draft, 2).value();
  psbt.global.set(psbt_global::kTxModifiable, util::Bytes{0x0B});
  const PsbtTestWallet wallet(shared.parties[0].get());
  const auto done = sign_psbt(psbt, wallet, shared.parties[0]->keys).value();
  EXPECT_EQ(bytes_in(done.psbt.global, psbt_global::kTxModifiable), util::Bytes{0x08});
  EXPECT_EQ(bytes_in(combine_psbts(std::vector{psbt, done.psbt}).value().global, psbt_global::kTxModifiable),
            util::Bytes{0x08});
}

TEST(PsbtSign, LeavesTheModifiableFlagsWhereItAddsNothing) {
  const Multisig shared;
  const PsbtTestWallet wallet(shared.parties[0].get());
  auto psbt = sign_psbt(create_psbt(shared.draft, 2).value(), wallet, shared.parties[0]->keys).value().psbt;
  psbt.global.set(psbt_global::kTxModifiable, util::Bytes{3});
  const auto again = sign_psbt(psbt, wallet, shared.parties[0]->keys).value();
  EXPECT_EQ(again.signatures, 0U);
  EXPECT_EQ(again.psbt, psbt);
}

TEST(PsbtSign, SaysThatThereIsNothingToSign) {
  const Multisig shared;
  const PsbtParty stranger(9);
  const PsbtTestWallet wallet(&stranger);
  const auto done = sign_psbt(create_psbt(shared.draft).value(), wallet, stranger.keys);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::NothingToSign);
}

TEST(PsbtCombine, RefusesWhatContradicts) {
  const Multisig shared;
  const auto psbt = create_psbt(shared.draft).value();
  auto other = shared.draft;
  other.tx.lock_time = 7;
  EXPECT_EQ(combine_psbts(std::vector{psbt, create_psbt(other).value()}).error().code, Code::Different);
  auto lie = psbt;
  lie.inputs[0].erase(psbt_in::kNonWitnessUtxo);
  lie.inputs[0].set(psbt_in::kWitnessUtxo, encode_output({1, shared.draft.inputs[0].spent.script_pubkey}));
  EXPECT_EQ(combine_psbts(std::vector{psbt, lie}).error().code, Code::Different);
  auto only_previous = psbt;
  only_previous.inputs[0].erase(psbt_in::kWitnessUtxo);
  EXPECT_EQ(combine_psbts(std::vector{only_previous, lie}).error().code, Code::UtxoMismatch);
  EXPECT_FALSE(combine_psbts({}));
}

TEST(PsbtCombine, RefusesTwoValuesOnlyOfWhatSaysHowItIsSpent) {
  const Multisig shared;
  const auto contradicts = [&](std::uint64_t type, bool is_input) {
    auto psbts = std::vector{new_psbt(shared.draft.tx), new_psbt(shared.draft.tx)};
    for (std::uint8_t i = 0; i < 2; ++i) {
      auto& map = is_input ? psbts[i].inputs[0] : psbts[i].outputs[0];
      // Nine bytes are an output with an empty script, too.
      map.set(type, util::Bytes{i, 0, 0, 0, 0, 0, 0, 0, 0});
    }
    const auto combined = combine_psbts(psbts);
    if (combined) {
      const auto& map = is_input ? combined->inputs[0] : combined->outputs[0];
      EXPECT_EQ(map, is_input ? psbts[0].inputs[0] : psbts[0].outputs[0]) << "the first counts";
    } else {
      EXPECT_EQ(combined.error().code, Code::Different);
    }
    return !combined.has_value();
  };
  for (std::uint64_t type = 1; type < 0x20; ++type) {
    const bool says_how = type == 0x01 || (type >= 0x03 && type <= 0x05) || type == 0x17 || type == 0x18;
    // A final script takes the fields away.
    if (type != psbt_in::kFinalScriptSig && type != psbt_in::kFinalWitness) {
      EXPECT_EQ(contradicts(type, true), says_how) << type;
    }
    EXPECT_EQ(contradicts(type, false), type == 0x01 || type == 0x05) << type;
  }
  EXPECT_TRUE(contradicts(psbt_out::kRedeemScript, false));
}

TEST(PsbtCombine, AFinalInputHasNoUseForTheRest) {
  const Multisig shared;
  auto psbt = new_psbt(shared.draft.tx);
  std::vector<std::uint64_t> kept;
  for (std::uint64_t type = 0; type < 0x20; ++type) {
    psbt.inputs[0].set(type, util::Bytes{7}, {});
    // What it spends, the final scripts, the fields of version 2, and what is not known.
    if (type <= 0x01 || (type >= 0x07 && type <= 0x09) || (type >= 0x0E && type <= 0x12) || type == 0x19 ||
        type >= 0x1D) {
      kept.push_back(type);
    }
  }
  const auto fields_left = [](const Psbt& in) {
    const auto combined = combine_psbts(std::vector{in}).value();
    std::vector<std::uint64_t> types;
    for (const auto& field : combined.inputs[0].fields()) {
      if (!field.key_data.empty()) types.push_back(field.type);
    }
    return types;
  };
  EXPECT_EQ(fields_left(psbt).size(), 0x20U);
  psbt.inputs[0].set(psbt_in::kFinalWitness, encode_witness({{}}));
  EXPECT_EQ(fields_left(psbt), kept);
}

TEST(PsbtCombine, MayBeChangedOnlyIfAllSaySo) {
  const Multisig shared;
  const auto combined = [&](std::optional<std::uint8_t> first, std::optional<std::uint8_t> second) {
    std::vector<Psbt> psbts;
    for (const auto& flags : {first, second}) {
      psbts.push_back(new_psbt(shared.draft.tx, 2));
      if (flags) psbts.back().global.set(psbt_global::kTxModifiable, util::Bytes{*flags});
    }
    return bytes_in(combine_psbts(psbts).value().global, psbt_global::kTxModifiable);
  };
  EXPECT_EQ(combined(3, 3), util::Bytes{3});
  EXPECT_EQ(combined(3, 1), util::Bytes{1});
  EXPECT_EQ(combined(2, 3), util::Bytes{2});
  EXPECT_EQ(combined(1, 2), util::Bytes{0});
  EXPECT_EQ(combined(7, 3), util::Bytes{7}) << "that somebody signed with SINGLE stays";
  EXPECT_EQ(combined(0, 4), util::Bytes{4});
  EXPECT_EQ(combined(3, std::nullopt), util::Bytes{0});
  EXPECT_EQ(combined(std::nullopt, 3), util::Bytes{0});
  EXPECT_EQ(combined(std::nullopt, std::nullopt), util::Bytes{});
}

TEST(PsbtFinalize, SaysWhatEachInputLacks) {
  const Multisig shared;
  auto psbt = create_psbt(shared.draft).value();
  EXPECT_THAT(finalize_psbt(psbt).error().message, HasSubstr("input 0 lacks 2 of 2 signatures"));
  auto tx = psbt.tx;
  tx.inputs.push_back({.previous = {.txid = {}, .index = 5}, .script_sig = {}, .witness = {}});
  tx.inputs.push_back({.previous = {.txid = {}, .index = 6}, .script_sig = {}, .witness = {}});
  Psbt more = new_psbt(tx);
  more.inputs[0] = psbt.inputs[0];
  more.inputs[2].set(psbt_in::kWitnessUtxo, encode_output({5, util::Bytes{0x51}}));
  EXPECT_THAT(
      finalize_psbt(more).error().message,
      HasSubstr("input 0 lacks 2 of 2 signatures, input 1 does not say what it spends, input 2 has a script that "
                "is not understood here (taproot signatures need what all inputs spend)"));
}

TEST(PsbtCombine, KeepsUnknownFieldsOfAllAndTheVersionOfTheFirst) {
  const Multisig shared;
  auto first = create_psbt(shared.draft, 2).value();
  auto second = create_psbt(shared.draft, 0).value();
  first.global.set(0xF5, util::Bytes{1}, util::Bytes{2});
  second.inputs[0].set(0xF5, util::Bytes{3}, util::Bytes{4});
  second.outputs[1].set(0xFC, util::Bytes{1, 0x55, 0}, util::Bytes{6});
  const auto combined = combine_psbts(std::vector{first, second}).value();
  EXPECT_EQ(combined.version, 2U);
  EXPECT_TRUE(combined.global.find(0xF5, util::Bytes{1}));
  EXPECT_TRUE(combined.inputs[0].find(0xF5, util::Bytes{3}));
  EXPECT_TRUE(combined.outputs[1].find(0xFC, util::Bytes{1, 0x55, 0}));
  EXPECT_EQ(sent(combined).tx, first.tx);
}

// --- Bitcoin Core's vectors -----------------------------------------------------------------------------------------

/// Keys in WIF, and a wallet whose keys are just these.
class WifKeys final : public SigningKeys, public PsbtWallet {
 public:
  explicit WifKeys(const boost::json::array& texts) {
    for (const auto& text : texts) {
      const auto bytes = base58check_decode(std::string_view(text.as_string()), 64).value();
      PrivateKey key;
      std::copy_n(bytes.begin() + 1, 32, key.bytes.begin());
      keys_[util::to_bytes(PublicKey::of(key)->compressed())] = key;
    }
  }
  std::optional<util::Bytes> ecdsa(const SpendKey& key, const util::Hash256& digest) const override {
    const auto found = keys_.find(key.public_key);
    return found == keys_.end() ? std::nullopt : sign_ecdsa(found->second, digest);
  }
  std::optional<std::array<std::uint8_t, 64>> schnorr(const SpendKey&, const util::Hash256&) const override {
    return std::nullopt;
  }
  std::optional<KnownCoin> coin(const chain::OutPoint&) const override { return std::nullopt; }
  std::optional<KnownScript> script(util::ByteView) const override { return std::nullopt; }
  bool derives(const SpendKey& key) const override { return keys_.contains(key.public_key); }
  bool is_ours(const Fingerprint&) const override { return false; }

 private:
  std::map<util::Bytes, PrivateKey> keys_;
};

TEST(PsbtRoles, FollowTheStepsOfBitcoinCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "psbt/rpc_psbt.json");
  const auto file = test::read_json(path);
  int signed_ones = 0;
  for (const auto& row : file.at("signer").as_array()) {
    const WifKeys keys(row.at("privkeys").as_array());
    const std::string_view text(row.at("psbt").as_string());
    const std::string_view result(row.at("result").as_string());
    // The vectors are older than the attack that the policy is against.
    const auto done = sign_psbt(read_text(text), keys, keys, {.require_previous = false});
    ASSERT_EQ(done.has_value(), text != result) << (done ? "" : done.error().message);
    if (!done) continue;
    EXPECT_EQ(in_core_order(done->psbt), result);
    EXPECT_EQ(sign_psbt(read_text(text), keys, keys).error().code, Code::NoPrevious);
    ++signed_ones;
  }
  EXPECT_EQ(signed_ones, 2);
  std::vector<Psbt> parts;
  for (const auto& text : file.at("combiner").at(0).at("combine").as_array())
    parts.push_back(read_text(text.as_string()));
  EXPECT_EQ(to_base64(combine_psbts(parts).value()), file.at("combiner").at(0).at("result").as_string());
  const auto& finalizer = file.at("finalizer").at(0);
  EXPECT_EQ(to_base64(finalize_psbt(read_text(finalizer.at("finalize").as_string())).value()),
            finalizer.at("result").as_string());
  const auto& extractor = file.at("extractor").at(0);
  EXPECT_EQ(util::to_hex(extract_transaction(read_text(extractor.at("extract").as_string())).value().serialize()),
            extractor.at("result").as_string());
}

TEST(PsbtRoles, CreateTheVectorOfBitcoinCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "psbt/rpc_psbt.json");
  const auto file = test::read_json(path);
  const auto& row = file.at("creator").at(0);
  chain::Transaction tx;
  for (const auto& input : row.at("inputs").as_array()) {
    tx.inputs.push_back({.previous = {util::parse_hash<util::Txid>(input.at("txid").as_string()).value(),
                                      static_cast<std::uint32_t>(input.at("vout").to_number<int>())},
                         .script_sig = {},
                         .witness = {}});
  }
  tx.outputs = {{149'990'000, test::hex("0014d85c2b71d0060b09c9886aeb815e50991dda124d")},
                {100'000'000, test::hex("001400aea9a2e5f0f876a588df5546e8742d1d87008f")}};
  EXPECT_EQ(to_base64(new_psbt(tx)), row.at("result").as_string());
}

TEST(PsbtRoles, NeverSignTheFailingCasesOfBip174) {
  SPV_VECTOR_FILE_OR_SKIP(path, "psbt/bip174.json");
  const auto file = test::read_json(path);
  const boost::json::array wif{
      "cT7J9YpCwY3AVRFSjN6ukeEeWY6mhpbJPxRaDaP5QTdygQRxP9Au", "cNBc3SWUip9PPm1GjRoLEJT6T41iNzCYtD7qro84FMnM5zEqeJsE",
      "cP53pDbR5WtAD8dYAW9hhTjuvvTVaEiQBdrz9XPrgLBeRFiyCbQr", "cR6SXDoyfQrcp4piaiHE97Rsgta9mNhGTen9XeonVgwsh4iSgw6d"};
  const WifKeys keys(wif);
  int seen = 0;
  for (const auto& row : file.as_array()) {
    if (row.at("section").as_string() != "fails-signer") continue;
    const auto psbt = read_text(row.at("psbt").as_string());
    EXPECT_FALSE(sign_psbt(psbt, keys, keys, {.require_previous = false})) << row.at("case").as_string();
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

}  // namespace
}  // namespace spv::wallet::spend
