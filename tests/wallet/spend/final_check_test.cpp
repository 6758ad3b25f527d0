// The last look at a finished payment: each thing that can be wrong is made wrong once.
#include "wallet/spend/final_check.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/spend/spend_samples.h"

namespace spv::wallet::spend {
namespace {

using Code = FinalCheckError::Code;

class FinalCheckTest : public testing::Test {
 protected:
  /// Two coins, one recipient, change.
  void SetUp() override {
    forms_ = {test::descriptor(test::all_forms()[2]), test::descriptor(test::all_forms()[4])};
    use(test::payment(forms_, rng_));
  }

  void use(test::Payment made) {
    payment_ = std::move(made);
    sign();
    coins_.clear();
    own_.clear();
    intent_ = {};
    intent_.rate = FeeRate(1'000);
    intent_.lock_time = payment_.tx.lock_time;
    intent_.recipients = {payment_.tx.outputs[0]};
    own_.insert(payment_.tx.outputs[1].script_pubkey);
    for (std::size_t i = 0; i < payment_.tx.inputs.size(); ++i) {
      const auto& input = payment_.tx.inputs[i];
      coins_[input.previous] = {payment_.spent[i], true};
      own_.insert(payment_.spent[i].script_pubkey);
      intent_.inputs.push_back({input.previous, input.sequence});
    }
  }

  void sign() { ASSERT_TRUE(test::sign_all(payment_, SeedKeys(test::master()))); }

  util::Expected<FinalReport, FinalCheckError> check_bytes(util::ByteView bytes) {
    WalletFacts facts;
    facts.coin = [&](const chain::OutPoint& outpoint) -> std::optional<ProvenCoin> {
      const auto found = coins_.find(outpoint);
      if (found == coins_.end()) return std::nullopt;
      return found->second;
    };
    facts.is_own = [&](util::ByteView script) { return own_.contains(util::to_bytes(script)); };
    return check_finished(bytes, intent_, facts);
  }
  util::Expected<FinalReport, FinalCheckError> check() { return check_bytes(payment_.tx.serialize()); }

  void expect(Code code) {
    const auto result = check();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_FALSE(result.error().message.empty());
  }

  util::Rng rng_{std::uint64_t{21}};
  std::vector<Descriptor> forms_;
  test::Payment payment_;
  PaymentIntent intent_;
  std::map<chain::OutPoint, ProvenCoin> coins_;
  std::set<util::Bytes> own_;
};

TEST_F(FinalCheckTest, GoodPaymentPasses) {
  const auto result = check();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->txid, payment_.tx.txid());
  EXPECT_EQ(result->fee, 20'000);
  const auto& tx = payment_.tx;
  EXPECT_EQ(result->weight, static_cast<std::int64_t>(3 * tx.serialized_size(chain::Witness::Strip) +
                                                      tx.serialized_size(chain::Witness::Include)));
}

TEST_F(FinalCheckTest, EveryFormPasses) {
  for (const auto& text : test::all_forms()) {
    use(test::payment({test::descriptor(text)}, rng_));
    const auto result = check();
    EXPECT_TRUE(result) << text << (result ? "" : result.error().message);
  }
}

TEST_F(FinalCheckTest, OtherBytesThanOneTransaction) {
  auto bytes = payment_.tx.serialize();
  EXPECT_EQ(check_bytes({}).error().code, Code::Malformed);
  EXPECT_EQ(check_bytes(util::ByteView(bytes).first(bytes.size() - 1)).error().code, Code::Malformed);
  bytes.push_back(0);
  EXPECT_EQ(check_bytes(bytes).error().code, Code::Malformed);
  EXPECT_EQ(check_bytes(util::Bytes(400'001)).error().code, Code::TooHeavy);
  EXPECT_EQ(check_bytes(util::Bytes(400'000)).error().code, Code::Malformed);
}

TEST_F(FinalCheckTest, OtherCoinsThanDrafted) {
  intent_.inputs[0].outpoint.index ^= 1U;
  expect(Code::WrongDraft);
}

TEST_F(FinalCheckTest, OtherSequenceLockTimeOrVersionThanDrafted) {
  const auto before = intent_;
  intent_.inputs[1].sequence = 0xFFFF'FFFF;
  expect(Code::WrongDraft);
  intent_ = before;
  intent_.lock_time = 1;
  expect(Code::WrongDraft);
  intent_ = before;
  intent_.version = 1;
  expect(Code::WrongDraft);
  intent_ = before;
  intent_.inputs.pop_back();
  expect(Code::WrongDraft);
}

TEST_F(FinalCheckTest, CoinTwice) {
  payment_.tx.inputs[1] = payment_.tx.inputs[0];
  intent_.inputs[1] = intent_.inputs[0];
  expect(Code::DuplicateInput);
}

TEST_F(FinalCheckTest, CoinThatIsNotOurs) {
  const auto before = coins_;
  coins_.erase(payment_.tx.inputs[1].previous);
  expect(Code::UnknownCoin);
  coins_ = before;
  own_.erase(payment_.spent[1].script_pubkey);
  expect(Code::UnknownCoin);
}

TEST_F(FinalCheckTest, CoinThatIsSpentOrReserved) {
  coins_[payment_.tx.inputs[1].previous].spendable = false;
  expect(Code::CoinNotSpendable);
}

TEST_F(FinalCheckTest, RecipientWithoutOutput) {
  intent_.recipients.push_back({1'000'000'000, util::Bytes{0x51, 0x02, 0x4E, 0x73}});
  expect(Code::WrongRecipient);
  intent_.recipients = {intent_.recipients[0], intent_.recipients[0]};
  expect(Code::WrongRecipient);
}

TEST_F(FinalCheckTest, RecipientGetsAnotherAmount) {
  intent_.recipients[0].value -= 1;
  expect(Code::StrangeOutput);
  intent_.recipients[0].value += 2;
  expect(Code::StrangeOutput);
}

TEST_F(FinalCheckTest, ChangeThatIsNotOurs) {
  own_.erase(payment_.tx.outputs[1].script_pubkey);
  expect(Code::StrangeOutput);
  intent_.change_scripts = {payment_.tx.outputs[1].script_pubkey};
  EXPECT_TRUE(check()) << "unless the user named it";
}

TEST_F(FinalCheckTest, RecipientsOfTheSameScriptAreKeptApart) {
  payment_.tx.outputs.push_back({payment_.tx.outputs[0].value + 7, payment_.tx.outputs[0].script_pubkey});
  payment_.tx.outputs[1].value -= payment_.tx.outputs[2].value;
  intent_.recipients = {payment_.tx.outputs[2], payment_.tx.outputs[0]};
  sign();
  EXPECT_TRUE(check());
  intent_.recipients[0].value = intent_.recipients[1].value;
  expect(Code::StrangeOutput);
}

TEST_F(FinalCheckTest, OutputsAboveInputs) {
  payment_.tx.outputs[1].value += 20'001;
  expect(Code::BadAmount);
}

TEST_F(FinalCheckTest, AmountsOutOfRange) {
  payment_.tx.outputs[1].value = chain::kMaxMoney + 1;
  expect(Code::BadAmount);
  payment_.tx.outputs[1].value = chain::kMaxMoney;
  expect(Code::BadAmount);
  payment_.tx.outputs[1].value = -1;
  expect(Code::Dust);
  SetUp();
  coins_[payment_.tx.inputs[0].previous].output.value = chain::kMaxMoney;
  expect(Code::BadAmount);
}

TEST_F(FinalCheckTest, FeeAboveAQuarterOfTheAmountNeedsTheUsersWord) {
  use(test::payment(forms_, rng_, 125'000));  // of 500,000
  EXPECT_TRUE(check());
  use(test::payment(forms_, rng_, 125'001));
  expect(Code::FeeTooHigh);
  intent_.allow_high_fee = true;
  EXPECT_TRUE(check());
}

TEST_F(FinalCheckTest, AQuarterOfTheAmountIsNotRoundedUp) {
  auto made = test::payment(forms_, rng_, 125'001);
  made.tx.outputs[0].value += 3;  // 500,003, of which 125,000.75 are a quarter
  made.tx.outputs[1].value -= 3;
  use(std::move(made));
  expect(Code::FeeTooHigh);
}

TEST_F(FinalCheckTest, FeeOfNothingIsGoodWhereNothingIsAskedFor) {
  use(test::payment(forms_, rng_, 0));
  expect(Code::FeeTooLow);
  intent_.rate = FeeRate{};
  EXPECT_TRUE(check());
}

TEST_F(FinalCheckTest, CoinsMayBeAllTheMoneyThatThereIs) {
  auto made = test::payment(forms_, rng_);
  const chain::Amount more = chain::kMaxMoney - made.spent[0].value - made.spent[1].value;
  made.spent[0].value += more;
  made.tx.outputs[1].value += more;
  use(made);
  EXPECT_TRUE(check());
  made.spent[0].value += 1;
  use(made);
  expect(Code::BadAmount);
}

TEST_F(FinalCheckTest, FeeAboveATenthOfACoinIsNeverPaid) {
  for (const chain::Amount fee : {10'000'000, 10'000'001}) {
    auto made = test::payment(forms_, rng_, 0);
    made.spent[0].value += fee;
    use(std::move(made));
    intent_.allow_high_fee = true;
    EXPECT_EQ(check().has_value(), fee == 10'000'000);
    if (fee > 10'000'000) expect(Code::FeeTooHigh);
  }
}

TEST_F(FinalCheckTest, FeeBelowTheRateAskedFor) {
  const auto wpkh = forms_[0];
  const auto tr = forms_[1];
  // The weights leave each rest when they are rounded to virtual bytes.
  std::set<std::int64_t> rests;
  for (const auto& forms : {std::vector{wpkh}, std::vector{tr}, std::vector{wpkh, tr}, std::vector{wpkh, wpkh, tr},
                            std::vector{wpkh, wpkh}, std::vector{wpkh, wpkh, wpkh}}) {
    use(test::payment(forms, rng_));
    const auto result = check();
    ASSERT_TRUE(result);
    rests.insert(result->weight % 4);
    const std::int64_t vbytes = (result->weight + 3) / 4;
    intent_.rate = FeeRate(20'000 * 1'000 / vbytes);
    EXPECT_TRUE(check()) << result->weight;
    intent_.rate = FeeRate(20'000 * 1'000 / vbytes + 1);
    expect(Code::FeeTooLow);
  }
  EXPECT_EQ(rests.size(), 4U);
}

TEST_F(FinalCheckTest, PaymentToOneself) {
  intent_.recipients.clear();
  own_.insert(payment_.tx.outputs[0].script_pubkey);
  EXPECT_TRUE(check()) << "all goes back";
}

TEST_F(FinalCheckTest, DustByScriptType) {
  struct Row {
    std::string script;
    chain::Amount least;
  };
  const std::vector<Row> rows{{"76a914" + std::string(40, '1') + "88ac", 546},
                              {"a914" + std::string(40, '1') + "87", 540},
                              {"0014" + std::string(40, '1'), 294},
                              {"0020" + std::string(64, '1'), 330},
                              {"5120" + std::string(64, '1'), 330},
                              {"21" + std::string(66, '1') + "ac", 576},
                              {"6a0411111111", 0},
                              {"", 471}};
  for (const auto& row : rows) {
    for (const chain::Amount less : {0, 1}) {
      auto made = test::payment(forms_, rng_, 20'000);
      made.tx.outputs[0] = {row.least - less, *util::from_hex(row.script)};
      use(std::move(made));
      intent_.allow_high_fee = true;
      const auto result = check();
      EXPECT_EQ(result.has_value(), less == 0) << row.script;
      if (less > 0) expect(Code::Dust);
    }
  }
}

TEST_F(FinalCheckTest, SmallerThanNodesRelay) {
  auto made = test::payment({forms_[0]}, rng_);
  made.tx.outputs = {{900'000, {0x51}}, {100'000, {}}};
  made.tx.outputs.pop_back();
  use([&] {
    auto copy = made;
    copy.tx.outputs.push_back(copy.tx.outputs[0]);
    return copy;
  }());
  payment_.tx.outputs.pop_back();  // 61 bytes without witness
  expect(Code::TooSmall);
}

TEST_F(FinalCheckTest, SixtyFiveBytesAreEnough) {
  use(test::payment({forms_[0]}, rng_));
  payment_.tx.outputs.pop_back();
  for (const std::size_t size : {4U, 5U}) {  // 60 bytes and the script
    payment_.tx.outputs[0].script_pubkey.assign(size, 0x51);
    intent_.recipients = payment_.tx.outputs;
    expect(size == 4 ? Code::TooSmall : Code::FeeTooHigh);
  }
}

TEST_F(FinalCheckTest, WeightOf400000IsNotTooMuch) {
  const auto weight = check()->weight;
  intent_.rate = FeeRate{};
  // The first item with the three bytes of its size, the second with five.
  payment_.tx.inputs[0].witness.push_back(util::Bytes(60'000));
  payment_.tx.inputs[0].witness.push_back(util::Bytes(static_cast<std::size_t>(400'000 - weight) - 60'008));
  expect(Code::BadSignature);
  payment_.tx.inputs[0].witness.back().push_back(0);
  expect(Code::TooHeavy);
}

TEST_F(FinalCheckTest, HeavierThanNodesRelay) {
  payment_.tx.inputs[0].witness.push_back(util::Bytes(300'000));
  payment_.tx.inputs[0].witness.push_back(util::Bytes(99'400));
  expect(Code::TooHeavy);
}

TEST_F(FinalCheckTest, SignatureThatDoesNotVerify) {
  for (auto& input : payment_.tx.inputs) {
    auto& signature = input.witness[0];
    signature[20] ^= 1U;
    expect(Code::BadSignature);
    signature[20] ^= 1U;
  }
  payment_.tx.inputs[1].witness.clear();
  expect(Code::BadSignature);
}

TEST_F(FinalCheckTest, SignatureThatDoesNotSignEverything) {
  for (std::size_t input = 0; input < 2; ++input) {
    for (const std::uint8_t type : {kSighashAll, kSighashNone}) {
      payment_.tx.inputs[input].witness[0] = test::signature_of_type(payment_, type, 0, input);
      if (type == kSighashAll) {
        EXPECT_TRUE(check());
      } else {
        expect(Code::BadSignature);
      }
    }
    sign();
  }
}

TEST_F(FinalCheckTest, AmountThatTheWalletKnowsOtherwise) {
  coins_[payment_.tx.inputs[0].previous].output.value += 1;
  expect(Code::BadSignature);
}

TEST_F(FinalCheckTest, AnyFlippedBitIsFound) {
  const auto good = payment_.tx.serialize();
  ASSERT_TRUE(check_bytes(good));
  for (std::size_t bit = 0; bit < good.size() * 8; bit += 1 + rng_.below(5)) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_FALSE(check_bytes(bad)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace spv::wallet::spend
