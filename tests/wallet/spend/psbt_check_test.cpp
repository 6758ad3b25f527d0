// Hostile PSBTs, one test a way to cheat: each begins with a PSBT that would be signed, and changes one thing.
#include "wallet/spend/psbt_check.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/wallet/spend/psbt_samples.h"
#include "util/codec.h"
#include "util/hash.h"
#include "wallet/script.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_summary.h"

namespace spv::wallet::spend {
namespace {

using test::PsbtParty;
using test::PsbtTestWallet;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Code = PsbtErrorCode;
using util::Bytes;

class HostilePsbt : public ::testing::Test {
 protected:
  explicit HostilePsbt(const std::string& before = "wpkh(", const std::string& after = ")")
      : alice_(1), wallet_(&alice_) {
    wallet_.watch(before + alice_.key_text(test::psbt_account()) + after);
    coin_ = test::psbt_coin(wallet_.script_of(0, 1), 100'000);
    wallet_.know(coin_, 1);
    psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, wallet_.script_of(1, 0), 39'000)).value();
    EXPECT_FALSE(refusal());
  }

  /// Why it is not signed, as the receiver of the file finds it.
  std::optional<PsbtError> refusal(const PsbtWallet* wallet = nullptr) const {
    const auto read = parse_psbt(serialize(psbt_));
    if (!read) return read.error();
    const auto done = sign_psbt(*read, wallet != nullptr ? *wallet : wallet_, alice_.keys);
    return done ? std::nullopt : std::optional(done.error());
  }
  void expect_refused(Code code, const PsbtWallet* wallet = nullptr) const {
    const auto error = refusal(wallet);
    ASSERT_TRUE(error) << "it was signed";
    EXPECT_EQ(to_string(error->code), to_string(code)) << error->message;
    EXPECT_FALSE(error->message.empty());
  }
  /// The codes of all problems, by name.
  std::vector<std::string> problems(const SignPolicy& policy = {}) const {
    std::vector<std::string> codes;
    for (const auto& problem : describe(psbt_, wallet_, policy).problems) codes.emplace_back(to_string(problem.code));
    return codes;
  }
  std::vector<std::string> warnings() const { return describe(psbt_, wallet_).warnings; }
  /// The same with another input, of which nothing is known.
  static Psbt with_unknown_input(const Psbt& psbt) {
    auto tx = psbt.tx;
    tx.inputs.push_back({.previous = {.txid = {}, .index = 5}, .script_sig = {}, .witness = {}});
    Psbt other = new_psbt(tx);
    std::ranges::copy(psbt.inputs, other.inputs.begin());
    return other;
  }
  /// A signature of this type by our key, in the field where it belongs.
  void put_signature(std::uint8_t type) {
    const auto solution = wallet_.script(coin_.outputs[1].script_pubkey)->solution.value();
    const std::vector<chain::TxOutput> spent{coin_.outputs[1]};
    const SighashData data(psbt_.tx, spent);
    if (solution.form == SpendForm::Tr) {
      auto signature = util::to_bytes(alice_.keys.schnorr(solution.keys[0], data.taproot(0, type).value()).value());
      if (type != kSighashDefault) signature.push_back(type);
      input().set(psbt_in::kTapKeySignature, signature);
      return;
    }
    auto signature = alice_.keys.ecdsa(solution.keys[0], data.segwit_v0(0, script_code(solution), type)).value();
    signature.push_back(type);
    input().set(psbt_in::kPartialSignature, solution.keys[0].public_key, signature);
  }
  PsbtMap& input() { return psbt_.inputs[0]; }
  void set_previous(const chain::Transaction& tx) { input().set(psbt_in::kNonWitnessUtxo, tx.serialize()); }
  void claim(const chain::TxOutput& output) { input().set(psbt_in::kWitnessUtxo, encode_output(output)); }

  PsbtParty alice_;
  PsbtTestWallet wallet_;
  chain::Transaction coin_;
  Psbt psbt_;
};

TEST_F(HostilePsbt, PreviousTransactionOfAnotherTxid) {
  auto other = coin_;
  other.outputs[1].value += 1;
  set_previous(other);
  expect_refused(Code::WrongPrevious);
}

TEST_F(HostilePsbt, PreviousTransactionWithoutThatOutput) {
  chain::Transaction tx = psbt_.tx;
  tx.inputs[0].previous.index = 2;
  Psbt other = new_psbt(tx);
  other.inputs = psbt_.inputs;
  psbt_ = other;
  expect_refused(Code::WrongPrevious);
}

TEST_F(HostilePsbt, WitnessUtxoThatDiffersFromThePreviousTransaction) {
  auto output = coin_.outputs[1];
  output.value += 1;
  claim(output);
  expect_refused(Code::UtxoMismatch);
}

TEST_F(HostilePsbt, SegwitInputWithoutPreviousTransaction) {
  input().erase(psbt_in::kNonWitnessUtxo);
  expect_refused(Code::NoPrevious);
  const PsbtTestWallet never_online(&alice_);
  expect_refused(Code::NoPrevious, &never_online);
}

TEST_F(HostilePsbt, PreviousTransactionMayBeMissingWhereThePolicySaysSo) {
  input().erase(psbt_in::kNonWitnessUtxo);
  EXPECT_EQ(problems(), std::vector<std::string>{"no-previous"});
  EXPECT_THAT(problems({.require_previous = false}), IsEmpty());
  EXPECT_TRUE(sign_psbt(psbt_, wallet_, alice_.keys, {.require_previous = false}));
}

class HostileLegacyPsbt : public HostilePsbt {
 protected:
  HostileLegacyPsbt() : HostilePsbt("pkh(") {}
};

TEST_F(HostileLegacyPsbt, LegacyInputWithoutPreviousTransaction) {
  input().erase(psbt_in::kNonWitnessUtxo);
  claim(coin_.outputs[1]);
  expect_refused(Code::NoPrevious);
  const PsbtTestWallet never_online(&alice_);
  expect_refused(Code::NoPrevious, &never_online);
}

TEST_F(HostileLegacyPsbt, NeedsThePreviousTransactionWhateverThePolicy) {
  input().erase(psbt_in::kNonWitnessUtxo);
  EXPECT_EQ(problems({.require_previous = false}), std::vector<std::string>{"no-previous"});
}

TEST_F(HostilePsbt, AmountThatTheWalletHasProvenOtherwise) {
  auto lie = coin_.outputs[1];
  lie.value = 70'000'000;
  input().erase(psbt_in::kNonWitnessUtxo);
  claim(lie);
  expect_refused(Code::Attack);
  EXPECT_THAT(refusal()->message, HasSubstr("attack"));
  EXPECT_EQ(update_psbt(psbt_, wallet_).error().code, Code::Attack);
}

TEST_F(HostilePsbt, ScriptThatTheWalletHasProvenOtherwise) {
  input().erase(psbt_in::kNonWitnessUtxo);
  claim({coin_.outputs[1].value, wallet_.script_of(0, 2)});
  expect_refused(Code::Attack);
}

TEST_F(HostilePsbt, TaprootFieldsOnAnInputThatIsNotTaproot) {
  input().erase(psbt_in::kNonWitnessUtxo);
  input().set(psbt_in::kTapInternalKey, util::Bytes(32, 2));
  expect_refused(Code::NoPrevious);
  claim({coin_.outputs[1].value, util::Writer().integer(std::uint16_t{0x2051}).bytes(util::Bytes(32, 2)).take()});
  expect_refused(Code::Attack);
}

TEST_F(HostilePsbt, OtherSighashTypes) {
  for (const std::uint32_t type : {2U, 3U, 0x81U, 0x82U, 0x83U, 4U, 0x101U, 0xFFFF'FFFFU}) {
    input().set(psbt_in::kSighashType, encode_little_endian(type));
    expect_refused(Code::BadSighash);
  }
  for (const std::uint32_t type : {0U, 1U}) {
    input().set(psbt_in::kSighashType, encode_little_endian(type));
    EXPECT_FALSE(refusal());
  }
}

TEST_F(HostilePsbt, SignatureThatDoesNotVerify) {
  const auto done = sign_psbt(psbt_, wallet_, alice_.keys).value();
  const PsbtField field = *done.psbt.inputs[0].all(psbt_in::kPartialSignature).at(0);
  auto wrong = field.value;
  wrong[20] ^= 1;
  input().set(psbt_in::kPartialSignature, field.key_data, wrong);
  expect_refused(Code::BadSignature);
  EXPECT_EQ(finalize_psbt(psbt_).error().code, Code::BadSignature);
  // Right, but by a key that the script does not name.
  psbt_ = done.psbt;
  input().set(psbt_in::kPartialSignature, PsbtParty(5).master.to_public().key().compressed(), field.value);
  expect_refused(Code::BadSignature);
}

TEST_F(HostilePsbt, FinalWitnessThatDoesNotVerify) {
  psbt_ = finalize_psbt(sign_psbt(psbt_, wallet_, alice_.keys).value().psbt).value();
  EXPECT_TRUE(extract_transaction(psbt_));
  auto witness = final_witness_in(psbt_.inputs[0]).value();
  witness[0][20] ^= 1;
  input().set(psbt_in::kFinalWitness, encode_witness(witness));
  EXPECT_EQ(extract_transaction(psbt_).error().code, Code::BadSignature);
  expect_refused(Code::BadSignature);
}

TEST_F(HostilePsbt, ChangeThatIsOnlyClaimed) {
  const PsbtParty thief(6);
  PsbtTestWallet theirs(&thief);
  theirs.watch("wpkh(" + thief.key_text(test::psbt_account()) + ")");
  const auto script = theirs.script_of(1, 0);
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, script, 39'000)).value();
  const auto key = theirs.script(script)->solution->keys[0];
  psbt_.outputs[1].set(psbt_out::kKeyPath, key.public_key,
                       encode_origin({alice_.master.fingerprint(), key.origin->path}));
  const auto summary = describe(psbt_, wallet_);
  EXPECT_FALSE(summary.outputs[1].ours);
  EXPECT_FALSE(summary.outputs[1].change);
  EXPECT_EQ(summary.sent, 99'000);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("output 1 is NOT ours")));
}

TEST_F(HostilePsbt, ChangeThatSharesItsKeysWithOthers) {
  const PsbtParty thief(6);
  PsbtTestWallet shared;
  shared.watch("wsh(multi(1," + alice_.key_text(test::psbt_account()) + "," + thief.key_text(test::psbt_account()) +
               "))");
  const auto script = shared.script_of(1, 0);
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, script, 39'000)).value();
  psbt_ = update_psbt(psbt_, shared).value();
  const auto summary = describe(psbt_, wallet_);
  EXPECT_FALSE(summary.outputs[1].ours);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("NOT ours alone")));
}

/// Change to our key at the end of this path, which the file names truly.
Psbt pay_to_path(const PsbtParty& party, const PsbtTestWallet& wallet, const chain::Transaction& coin,
                 const KeyPath& path) {
  const auto key = party.master.descend(path)->to_public().key().compressed();
  const auto script = p2wpkh_script(util::hash160(key));
  auto psbt = create_psbt(test::psbt_draft(wallet, {coin}, 60'000, script, 39'000)).value();
  psbt.outputs[1].set(psbt_out::kKeyPath, key, encode_origin({party.master.fingerprint(), path}));
  return psbt;
}

TEST_F(HostilePsbt, PathsBeyondAnySaneIndex) {
  KeyPath path = test::psbt_account();
  path.insert(path.end(), {1, 900});
  const auto near = describe(pay_to_path(alice_, wallet_, coin_, path), wallet_);
  EXPECT_TRUE(near.outputs[1].ours);
  EXPECT_TRUE(near.outputs[1].change);
  EXPECT_EQ(near.outputs[1].path, "m/84'/1'/0'/1/900");
  EXPECT_THAT(near.warnings, Contains(HasSubstr("does not watch")));
  path.back() = 2'000'000'000;
  const auto far = describe(pay_to_path(alice_, wallet_, coin_, path), wallet_);
  EXPECT_FALSE(far.outputs[1].ours);
  EXPECT_THAT(far.warnings, Contains(HasSubstr("output 1 is NOT taken as ours")));
  const auto deep = describe(pay_to_path(alice_, wallet_, coin_, KeyPath(11, 1)), wallet_);
  EXPECT_FALSE(deep.outputs[1].ours);
  const auto key = alice_.master.to_public().key().compressed();
  psbt_.outputs[1].set(psbt_out::kKeyPath, key, encode_origin({alice_.master.fingerprint(), KeyPath(256, 1)}));
  expect_refused(Code::WrongField);
}

TEST_F(HostilePsbt, PathsThatAWalletUses) {
  struct Row {
    KeyPath path;
    bool ours;
    bool change;
  };
  for (const auto& row :
       {Row{{}, true, false}, Row{{1}, true, false}, Row{{1, 5}, true, true}, Row{{0, 5}, true, false},
        Row{{kHardened + 1, 5}, true, false}, Row{{1, kHardened + 5}, true, true}, Row{{1, 1'000'000}, true, true},
        Row{{1, 1'000'001}, false, false}, Row{KeyPath(10, 1), true, true}, Row{KeyPath(11, 1), false, false}}) {
    const auto summary = describe(pay_to_path(alice_, wallet_, coin_, row.path), wallet_);
    EXPECT_EQ(summary.outputs[1].ours, row.ours) << wallet::to_string(row.path);
    EXPECT_EQ(summary.outputs[1].change, row.change) << wallet::to_string(row.path);
  }
}

TEST_F(HostilePsbt, CoinsAtPathsBeyondAnySaneIndexAreShown) {
  const PsbtTestWallet never_online(&alice_);
  for (const std::size_t depth : {10U, 11U}) {
    const KeyPath path(depth, 1);
    const auto key = alice_.master.descend(path)->to_public().key().compressed();
    const auto coin = test::psbt_coin(p2wpkh_script(util::hash160(key)), 100'000);
    auto psbt = create_psbt(test::psbt_draft(never_online, {coin}, 60'000)).value();
    psbt.inputs[0].set(psbt_in::kKeyPath, key, encode_origin({alice_.master.fingerprint(), path}));
    const auto summary = describe(psbt, never_online);
    EXPECT_TRUE(summary.inputs[0].ours);
    const auto unusual = Contains(HasSubstr("unusual path"));
    if (depth == 10) {
      EXPECT_THAT(summary.warnings, Not(unusual));
    } else {
      EXPECT_THAT(summary.warnings, unusual);
    }
  }
}

TEST_F(HostilePsbt, PathThatIsNotThatOfTheKey) {
  const PsbtTestWallet never_online(&alice_);
  EXPECT_FALSE(refusal(&never_online));
  const PsbtField field = *input().all(psbt_in::kKeyPath).at(0);
  input().set(psbt_in::kKeyPath, field.key_data,
              encode_origin({alice_.master.fingerprint(), {kHardened + 84, kHardened + 1, kHardened, 0, 2}}));
  expect_refused(Code::NothingToSign, &never_online);
}

TEST_F(HostilePsbt, ScriptsThatTheOutputDoesNotCommitTo) {
  input().set(psbt_in::kRedeemScript, util::Bytes{0x51});
  expect_refused(Code::WrongScript);
  input().erase(psbt_in::kRedeemScript);
  input().set(psbt_in::kWitnessScript, util::Bytes{0x51});
  expect_refused(Code::WrongScript);
}

class HostileNestedPsbt : public HostilePsbt {
 protected:
  HostileNestedPsbt() : HostilePsbt("sh(wsh(pkh(", ")))") {}
};
class HostileScriptPsbt : public HostilePsbt {
 protected:
  HostileScriptPsbt() : HostilePsbt("sh(pkh(", "))") {}
};

TEST_F(HostileNestedPsbt, EachScriptIsTheOneThatTheOutputCommitsTo) {
  const Psbt before = psbt_;
  const Bytes other{0x51, 0x52};
  EXPECT_THAT(problems(), IsEmpty());
  input().set(psbt_in::kWitnessScript, other);
  EXPECT_THAT(problems(), Contains("wrong-script"));
  input().erase(psbt_in::kRedeemScript);
  EXPECT_THAT(problems(), IsEmpty()) << "the redeem script may still come";
  psbt_ = before;
  input().set(psbt_in::kRedeemScript, other);
  EXPECT_THAT(problems(), Contains("wrong-script"));
  psbt_ = before;
  input().erase(psbt_in::kWitnessScript);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HostileScriptPsbt, AScriptWithoutAProgramHasNoWitnessScript) {
  EXPECT_THAT(problems(), IsEmpty());
  input().set(psbt_in::kWitnessScript, bytes_in(input(), psbt_in::kRedeemScript));
  EXPECT_THAT(problems(), Contains("wrong-script"));
}

TEST_F(HostilePsbt, DuplicateKeys) {
  for (auto* map : {&psbt_.global, &psbt_.inputs[0], &psbt_.outputs[1]}) {
    const Psbt before = psbt_;
    map->append({0xF3, util::Bytes{1}, util::Bytes{2}});
    EXPECT_FALSE(refusal());
    map->append({0xF3, util::Bytes{1}, util::Bytes{3}});
    expect_refused(Code::DuplicateKey);
    psbt_ = before;
  }
}

TEST_F(HostilePsbt, BytesBehindTheEnd) {
  auto bytes = serialize(psbt_);
  bytes.push_back(0);
  EXPECT_EQ(parse_psbt(bytes).error().code, Code::TrailingBytes);
}

TEST_F(HostilePsbt, CutOffAnywhere) {
  const auto bytes = serialize(psbt_);
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(parse_psbt(util::ByteView(bytes).first(size)));
  EXPECT_TRUE(parse_psbt(bytes));
}

TEST_F(HostilePsbt, CountsThatLie) {
  psbt_ = to_version(psbt_, 2);
  EXPECT_FALSE(refusal());
  const auto count = [&](std::uint64_t number) {
    psbt_.global.set(psbt_global::kInputCount, util::Writer().compact_size(number).take());
  };
  for (const std::uint64_t number : {std::uint64_t{2}, std::uint64_t{0xFFFF'FFFF}, ~std::uint64_t{0}}) {
    count(number);
    EXPECT_TRUE(refusal()) << number;
  }
  count(0);
  EXPECT_TRUE(refusal());
}

TEST_F(HostilePsbt, SumsAboveTwentyOneMillion) {
  for (const auto& amounts :
       {std::pair(chain::kMaxMoney, chain::Amount{1}), std::pair(chain::kMaxMoney + 1, chain::Amount{0}),
        std::pair(chain::Amount{-1}, chain::Amount{1})}) {
    auto tx = psbt_.tx;
    tx.outputs[0].value = amounts.first;
    tx.outputs[1].value = amounts.second;
    Psbt other = new_psbt(tx);
    other.inputs = psbt_.inputs;
    EXPECT_EQ(parse_psbt(serialize(other)).error().code, Code::BadAmount);
  }
  const auto rich = test::psbt_coin(wallet_.script_of(0, 2), chain::kMaxMoney);
  auto tx = psbt_.tx;
  tx.inputs.push_back({.previous = test::outpoint(rich, 1), .script_sig = {}, .witness = {}});
  Psbt other = new_psbt(tx);
  other.inputs[0] = psbt_.inputs[0];
  other.inputs[1].set(psbt_in::kNonWitnessUtxo, rich.serialize());
  EXPECT_EQ(parse_psbt(serialize(other)).error().code, Code::BadAmount);
}

TEST_F(HostilePsbt, OutputsThatExceedTheInputs) {
  auto tx = psbt_.tx;
  tx.outputs[0].value = 100'000;
  Psbt other = new_psbt(tx);
  other.inputs = psbt_.inputs;
  psbt_ = other;
  expect_refused(Code::BadAmount);
}

TEST_F(HostilePsbt, OutputsMayBeAllThatTheInputsHave) {
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, wallet_.script_of(1, 0), 40'000)).value();
  EXPECT_FALSE(refusal());
  EXPECT_EQ(describe(psbt_, wallet_).fee, 0);
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, wallet_.script_of(1, 0), 40'001)).value();
  expect_refused(Code::BadAmount);
}

TEST_F(HostilePsbt, SignatureOfOursThatDoesNotSignAll) {
  put_signature(kSighashAll);
  EXPECT_FALSE(refusal());
  put_signature(kSighashNone);
  expect_refused(Code::BadSighash);
  // Of a stranger it is his own loss.
  const PsbtParty stranger(9);
  const auto summary = describe(psbt_, PsbtTestWallet(&stranger));
  EXPECT_THAT(summary.problems, IsEmpty());
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("does not sign all")));
  EXPECT_EQ(summary.inputs[0].signatures, 1U);
  put_signature(kSighashAll);
  EXPECT_THAT(describe(psbt_, PsbtTestWallet(&stranger)).warnings, Not(Contains(HasSubstr("does not sign all"))));
}

TEST_F(HostilePsbt, AnUnknownInputKeepsNoSignatureOfAnotherFromBeingVerified) {
  psbt_ = with_unknown_input(psbt_);
  put_signature(kSighashAll);
  const auto summary = describe(psbt_, wallet_);
  EXPECT_EQ(summary.inputs[0].signatures, 1U);
  EXPECT_EQ(summary.fee, std::nullopt);
  EXPECT_FALSE(summary.complete);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("input 1: it is not known what it spends")));
  EXPECT_THAT(summary.problems, IsEmpty());
  EXPECT_EQ(finalize_psbt(psbt_).error().code, Code::Incomplete);
  input().set(psbt_in::kFinalWitness, encode_witness({Bytes(71), Bytes(33)}));
  EXPECT_EQ(problems(), std::vector<std::string>{"bad-signature"});
}

TEST_F(HostilePsbt, SignaturesForAnUnknownScriptAreShown) {
  const PsbtTestWallet nobody;
  auto output = coin_.outputs[1];
  output.script_pubkey = {0x51, 0x87};
  input() = {};
  claim(output);
  EXPECT_THAT(describe(psbt_, nobody).warnings, Not(Contains(HasSubstr("cannot be verified here"))));
  input().set(psbt_in::kPartialSignature, PsbtParty(5).master.to_public().key().compressed(), Bytes(71));
  const auto summary = describe(psbt_, nobody);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("input 0 has signatures that cannot be verified here")));
  EXPECT_THAT(summary.problems, IsEmpty());
  EXPECT_EQ(summary.vsize, std::nullopt);
  EXPECT_EQ(summary.fee_rate, std::nullopt);
}

TEST_F(HostilePsbt, SameInputTwice) {
  auto tx = psbt_.tx;
  tx.inputs.push_back(tx.inputs[0]);
  Psbt other = new_psbt(tx);
  other.inputs = {psbt_.inputs[0], psbt_.inputs[0]};
  psbt_ = other;
  expect_refused(Code::BadTransaction);
}

TEST_F(HostilePsbt, FileAboveSixteenMegabytes) {
  auto small = psbt_;
  psbt_.global.append({0xF3, util::Bytes{1}, util::Bytes(kMaxPsbtBytes)});
  expect_refused(Code::TooLarge);
  EXPECT_EQ(read_psbt(util::as_bytes(to_base64(psbt_))).error().code, Code::TooLarge);
  small.global.append({0xF3, util::Bytes{1}, util::Bytes(kMaxPsbtBytes - serialize(small).size() - 16)});
  EXPECT_TRUE(parse_psbt(serialize(small)));
}

TEST_F(HostilePsbt, FieldsOfAWrongSize) {
  struct Row {
    std::uint64_t type;
    std::size_t key;
    std::size_t value;
  };
  for (const auto& row :
       {Row{0x03, 0, 3},   Row{0x03, 1, 4},   Row{0x0A, 19, 1},  Row{0x0D, 31, 1}, Row{0x13, 0, 63},
        Row{0x13, 0, 66},  Row{0x14, 63, 64}, Row{0x14, 64, 63}, Row{0x15, 34, 2}, Row{0x15, 33, 0},
        Row{0x16, 33, 5},  Row{0x16, 32, 4},  Row{0x17, 0, 33},  Row{0x18, 0, 31}, Row{0x1A, 32, 33},
        Row{0x1B, 65, 66}, Row{0x1C, 66, 31}, Row{0x06, 32, 4},  Row{0x02, 33, 8}, Row{0x0E, 0, 32}}) {
    const Psbt before = psbt_;
    input().set(row.type, util::Bytes(row.key, 2), util::Bytes(row.value));
    expect_refused(Code::WrongField);
    psbt_ = before;
  }
}

class HostileTaprootPsbt : public HostilePsbt {
 protected:
  HostileTaprootPsbt() : HostilePsbt("tr(") {}
};

TEST_F(HostileTaprootPsbt, IsSignedByWitnessUtxoAlone) {
  EXPECT_FALSE(input().has(psbt_in::kNonWitnessUtxo));
  const PsbtTestWallet never_online(&alice_);
  EXPECT_FALSE(refusal(&never_online));
  const auto summary = describe(psbt_, never_online);
  EXPECT_EQ(summary.inputs[0].evidence, Evidence::Committed);
  EXPECT_EQ(summary.inputs[0].path, "m/84'/1'/0'/0/1");
  EXPECT_EQ(describe(psbt_, wallet_).inputs[0].evidence, Evidence::Proven);
}

TEST_F(HostileTaprootPsbt, NeedsTheAmountsOfAllInputs) {
  auto tx = psbt_.tx;
  tx.inputs.push_back({.previous = {.txid = {}, .index = 5}, .script_sig = {}, .witness = {}});
  Psbt other = new_psbt(tx);
  other.inputs[0] = psbt_.inputs[0];
  psbt_ = other;
  expect_refused(Code::NoUtxo);
  psbt_.inputs[1].set(psbt_in::kWitnessUtxo, encode_output({5, util::Bytes{0x51}}));
  EXPECT_FALSE(refusal());
  const auto summary = describe(psbt_, wallet_);
  EXPECT_EQ(summary.inputs[1].evidence, Evidence::Claimed);
  EXPECT_FALSE(summary.inputs[1].ours);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("only claimed")));
}

TEST_F(HostileTaprootPsbt, SignatureOfOursThatDoesNotSignAll) {
  for (const std::uint8_t type : {kSighashDefault, kSighashAll}) {
    put_signature(type);
    EXPECT_FALSE(refusal()) << int{type};
  }
  put_signature(kSighashNone);
  expect_refused(Code::BadSighash);
}

TEST_F(HostileTaprootPsbt, AnUnknownInputKeepsItFromBeingVerified) {
  put_signature(kSighashDefault);
  auto signed_one = psbt_;
  psbt_ = with_unknown_input(signed_one);
  EXPECT_THAT(warnings(), Contains(HasSubstr("input 0 has signatures that cannot be verified here")));
  EXPECT_THAT(problems(), IsEmpty());
  psbt_ = finalize_psbt(signed_one).value();
  EXPECT_THAT(problems(), IsEmpty());
  psbt_ = with_unknown_input(psbt_);
  EXPECT_THAT(problems(), IsEmpty()) << "nobody can tell";
  psbt_.inputs[1].set(psbt_in::kWitnessUtxo, encode_output({5, Bytes{0x51}}));
  EXPECT_EQ(problems(), std::vector<std::string>{"bad-signature"}) << "it was of another transaction";
}

TEST_F(HostileTaprootPsbt, SignatureIsVerifiedByTheOutputWhereTheKeyIsNotTold) {
  put_signature(kSighashDefault);
  input().erase(psbt_in::kTapInternalKey);
  input().erase(psbt_in::kTapKeyPath);
  const PsbtTestWallet nobody;
  EXPECT_EQ(describe(psbt_, nobody).inputs[0].signatures, 1U);
  EXPECT_TRUE(describe(psbt_, nobody).complete);
  auto signature = bytes_in(input(), psbt_in::kTapKeySignature);
  signature[20] ^= 1;
  input().set(psbt_in::kTapKeySignature, signature);
  EXPECT_EQ(finalize_psbt(psbt_).error().code, Code::BadSignature);
}

TEST_F(HostileTaprootPsbt, ProgramThatIsTheHashOfAScript) {
  const Bytes script{0x51};
  input().set(psbt_in::kWitnessUtxo, encode_output({100'000, witness_script(1, util::sha256(script).view())}));
  input().set(psbt_in::kWitnessScript, script);
  const PsbtTestWallet never_online(&alice_);
  expect_refused(Code::WrongScript, &never_online);
}

TEST_F(HostileTaprootPsbt, ChangeThatIsOnlyClaimed) {
  const PsbtParty thief(6);
  PsbtTestWallet theirs(&thief);
  theirs.watch("tr(" + thief.key_text(test::psbt_account()) + ")");
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 60'000, theirs.script_of(1, 0), 39'000)).value();
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("it may be a fraud"))));
  auto path = encode_origin({alice_.master.fingerprint(), {1, 0}});
  path.insert(path.begin(), 0);
  psbt_.outputs[1].set(psbt_out::kTapKeyPath, Bytes(32, 2), path);
  EXPECT_THAT(warnings(), Contains(HasSubstr("output 1 is NOT ours, though the PSBT says so")));
}

TEST_F(HostileTaprootPsbt, MerkleRootIsNotSignedFor) {
  // The internal key is ours, the output commits to scripts of somebody else.
  const PsbtTestWallet never_online(&alice_);
  input().set(psbt_in::kWitnessUtxo,
              encode_output({100'000, util::Writer().integer(std::uint16_t{0x2051}).bytes(util::Bytes(32, 2)).take()}));
  expect_refused(Code::NothingToSign, &never_online);
}

TEST_F(HostilePsbt, SummaryTellsWhatIsSigned) {
  const auto summary = describe(psbt_, wallet_);
  EXPECT_EQ(summary.version, 0U);
  EXPECT_EQ(summary.inputs[0].outpoint, test::outpoint(coin_, 1));
  EXPECT_EQ(summary.inputs[0].spent, coin_.outputs[1]);
  EXPECT_EQ(summary.inputs[0].path, "m/84'/1'/0'/0/1");
  EXPECT_EQ(summary.inputs[0].signatures, 0U);
  EXPECT_EQ(summary.inputs[0].needs, 1U);
  EXPECT_EQ(summary.fee, 1'000);
  EXPECT_EQ(summary.vsize, 141);
  EXPECT_EQ(summary.fee_rate, FeeRate(1'000'000 / 141));
  EXPECT_NEAR(*summary.fee_percent, 100.0 * 1'000 / 60'000, 1e-9);
  EXPECT_EQ(summary.sent, 60'000);
  EXPECT_TRUE(summary.outputs[1].ours);
  EXPECT_TRUE(summary.outputs[1].change);
  EXPECT_EQ(summary.outputs[1].path, "m/84'/1'/0'/1/0");
  EXPECT_FALSE(summary.complete);
  EXPECT_TRUE(summary.warnings.empty());
  EXPECT_TRUE(describe(sign_psbt(psbt_, wallet_, alice_.keys).value().psbt, wallet_).complete);
}

TEST_F(HostilePsbt, SummaryOfWhatComesBackToUsMeasuresTheFeeByAll) {
  psbt_ = create_psbt(test::psbt_draft(wallet_, {coin_}, 1, wallet_.script_of(1, 0), 98'999)).value();
  EXPECT_NEAR(*describe(psbt_, wallet_).fee_percent, 100'000.0, 1e-6) << "one satoshi is sent";
  auto tx = psbt_.tx;
  tx.outputs[0].value = 0;
  Psbt other = new_psbt(tx);
  other.inputs = psbt_.inputs;
  EXPECT_NEAR(*describe(other, wallet_).fee_percent, 100.0 * 1'001 / 98'999, 1e-9);
  tx.outputs.pop_back();
  Psbt nothing = new_psbt(tx);
  nothing.inputs = psbt_.inputs;
  EXPECT_EQ(describe(nothing, wallet_).fee, 100'000);
  EXPECT_EQ(describe(nothing, wallet_).fee_percent, std::nullopt);
}

TEST_F(HostilePsbt, AFinalInputHasAllItsSignatures) {
  psbt_ = finalize_psbt(sign_psbt(psbt_, wallet_, alice_.keys).value().psbt).value();
  const auto summary = describe(psbt_, wallet_);
  EXPECT_TRUE(summary.inputs[0].final);
  EXPECT_TRUE(summary.inputs[0].complete);
  EXPECT_EQ(summary.inputs[0].signatures, 1U);
  EXPECT_TRUE(summary.complete);
  expect_refused(Code::NothingToSign);
  // A witness that does not verify completes nothing.
  input().set(psbt_in::kFinalWitness, encode_witness({Bytes(71), Bytes(33)}));
  EXPECT_FALSE(describe(psbt_, wallet_).complete);
}

/// Of ten coins, so that a byte too many in each shows.
std::optional<std::int64_t> vsize_of_ten(const std::string& function) {
  const PsbtParty alice(1);
  PsbtTestWallet wallet(&alice);
  wallet.watch(function + alice.key_text(test::psbt_account()) + ")");
  std::vector<chain::Transaction> coins;
  for (int i = 0; i < 10; ++i) coins.push_back(test::psbt_coin(wallet.script_of(0, 1), 100'000));
  return describe(create_psbt(test::psbt_draft(wallet, coins, 60'000)).value(), wallet).vsize;
}

TEST(PsbtSummary, CountsSignaturesThatAreStillMissing) {
  EXPECT_EQ(vsize_of_ten("wpkh("), virtual_bytes(4 * (10 + 31) + 2 + 10 * 271));
  EXPECT_EQ(vsize_of_ten("tr("), virtual_bytes(4 * (10 + 31) + 2 + 10 * 230));
  EXPECT_EQ(vsize_of_ten("pkh("), virtual_bytes(4 * (10 + 31) + 10 * 588));
}

TEST_F(HostilePsbt, TextMayHaveSpaceAroundItOnly) {
  const std::string text = to_base64(psbt_);
  EXPECT_EQ(read_psbt(util::as_bytes("\n " + text + "\r\n")).value(), psbt_);
  EXPECT_EQ(read_psbt(util::as_bytes(text.substr(0, 40) + "\n" + text.substr(40))).error().code, Code::NotPsbt);
  EXPECT_EQ(read_psbt(util::as_bytes(text + "====")).error().code, Code::NotPsbt);
  EXPECT_EQ(read_psbt({}).error().code, Code::NotPsbt);
}

}  // namespace
}  // namespace spv::wallet::spend
