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
using Code = PsbtErrorCode;

class HostilePsbt : public ::testing::Test {
 protected:
  explicit HostilePsbt(const std::string& form = "wpkh(") : alice_(1), wallet_(&alice_) {
    wallet_.watch(form + alice_.key_text(test::psbt_account()) + ")");
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

TEST_F(HostilePsbt, TextMayHaveSpaceAroundItOnly) {
  const std::string text = to_base64(psbt_);
  EXPECT_EQ(read_psbt(util::as_bytes("\n " + text + "\r\n")).value(), psbt_);
  EXPECT_EQ(read_psbt(util::as_bytes(text.substr(0, 40) + "\n" + text.substr(40))).error().code, Code::NotPsbt);
  EXPECT_EQ(read_psbt(util::as_bytes(text + "====")).error().code, Code::NotPsbt);
  EXPECT_EQ(read_psbt({}).error().code, Code::NotPsbt);
}

}  // namespace
}  // namespace spv::wallet::spend
