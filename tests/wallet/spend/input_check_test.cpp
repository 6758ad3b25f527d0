// Finished inputs, judged by their bytes: what is signed here is valid, what is changed is not, and what Bitcoin Core
// refuses is never called valid.
#include "wallet/spend/input_check.h"

#include <array>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "tests/wallet/spend/spend_samples.h"
#include "wallet/script.h"
#include "wallet/spend/push.h"

namespace spv::wallet::spend {
namespace {

using spv::test::hex;

InputVerdict verdict(const test::Payment& payment, std::size_t input = 0) {
  return check_input(SighashData(payment.tx, payment.spent), input).verdict;
}

test::Payment signed_payment(const std::vector<std::string>& forms, util::Rng& rng) {
  std::vector<Descriptor> coins;
  for (const auto& text : forms) coins.push_back(test::descriptor(text));
  auto payment = test::payment(coins, rng);
  EXPECT_TRUE(test::sign_all(payment, SeedKeys(test::master())));
  return payment;
}

TEST(InputCheck, EveryFormThatIsSignedIsValid) {
  util::Rng rng(std::uint64_t{11});
  for (const auto& text : test::all_forms()) {
    const auto payment = signed_payment({text}, rng);
    const auto checked = check_input(SighashData(payment.tx, payment.spent), 0);
    EXPECT_EQ(checked.verdict, InputVerdict::Valid) << text;
    EXPECT_TRUE(checked.signs_all) << text;
  }
}

TEST(InputCheck, UnsignedIsInvalid) {
  util::Rng rng(std::uint64_t{12});
  for (const auto& text : test::all_forms()) {
    EXPECT_EQ(verdict(test::payment({test::descriptor(text)}, rng)), InputVerdict::Invalid) << text;
  }
}

/// Flips one bit of script or witness of an input.
void flip(chain::TxInput& input, util::Rng& rng) {
  std::vector<util::Bytes*> parts;
  if (!input.script_sig.empty()) parts.push_back(&input.script_sig);
  for (auto& item : input.witness) {
    if (!item.empty()) parts.push_back(&item);
  }
  auto& part = *parts[rng.below(parts.size())];
  part[rng.below(part.size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
}

// Random transactions of mixed forms.
TEST(InputCheck, AnyFlippedBitMakesItNotValid) {
  util::Rng rng(std::uint64_t{13});
  const auto forms = test::all_forms();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < 1 + rng.below(4); ++i) chosen.push_back(forms[rng.below(forms.size())]);
    const auto good = signed_payment(chosen, rng);
    const std::size_t input = rng.below(chosen.size());
    ASSERT_EQ(verdict(good, input), InputVerdict::Valid);
    for (int change = 0; change < 20; ++change) {
      auto bad = good;
      flip(bad.tx.inputs[input], rng);
      EXPECT_NE(verdict(bad, input), InputVerdict::Valid) << chosen[input];
    }
    auto amount = good;
    amount.tx.outputs[rng.below(2)].value ^= std::int64_t{1} << rng.below(40);
    EXPECT_NE(verdict(amount, input), InputVerdict::Valid);
    auto script = good;
    script.tx.outputs[0].script_pubkey[rng.below(22)] ^= 1U;
    EXPECT_NE(verdict(script, input), InputVerdict::Valid);
    auto coin = good;
    coin.tx.inputs[rng.below(chosen.size())].previous.txid.bytes[rng.below(32)] ^= 1U;
    EXPECT_NE(verdict(coin, input), InputVerdict::Valid);
    auto sequence = good;
    sequence.tx.inputs[rng.below(chosen.size())].sequence ^= 1U;
    EXPECT_NE(verdict(sequence, input), InputVerdict::Valid);
    auto lock = good;
    lock.tx.lock_time ^= 1U;
    EXPECT_NE(verdict(lock, input), InputVerdict::Valid);
    auto spent = good;
    spent.spent[input].value += 1;
    EXPECT_EQ(verdict(spent, input) != InputVerdict::Valid, good.solutions[input].is_segwit()) << chosen[input];
  }
}

TEST(InputCheck, NothingCanBeAddedOrWrittenInAnotherWay) {
  util::Rng rng(std::uint64_t{14});
  for (const auto& text : test::all_forms()) {
    const auto good = signed_payment({text}, rng);
    auto more = good;
    more.tx.inputs[0].witness.insert(more.tx.inputs[0].witness.begin(), util::Bytes{});
    EXPECT_NE(verdict(more), InputVerdict::Valid) << text;
    auto pushed = good;
    pushed.tx.inputs[0].script_sig.insert(pushed.tx.inputs[0].script_sig.begin(), chain::op::k0);
    EXPECT_EQ(verdict(pushed), InputVerdict::Invalid) << text;
    if (good.tx.inputs[0].script_sig.empty()) continue;
    auto longer = good;  // the same last push in a longer form
    util::Bytes script;
    std::vector<util::Bytes> items;
    chain::ScriptReader reader(good.tx.inputs[0].script_sig);
    while (const auto found = reader.next()) items.push_back(util::to_bytes(found->data));
    for (std::size_t i = 0; i + 1 < items.size(); ++i) append_push(script, items[i]);
    const auto size = static_cast<std::uint8_t>(items.back().size());
    script.insert(script.end(), {chain::op::kPushData4, size, 0, 0, 0});
    script.insert(script.end(), items.back().begin(), items.back().end());
    longer.tx.inputs[0].script_sig = script;
    EXPECT_EQ(verdict(longer), InputVerdict::Invalid) << text;
  }
}

TEST(InputCheck, DummyOfAMultisigIsEmptyAndSignaturesAreInOrder) {
  util::Rng rng(std::uint64_t{15});
  const auto good = signed_payment({test::all_forms()[10]}, rng);  // wsh(multi(2, ...))
  auto dummy = good;
  dummy.tx.inputs[0].witness[0] = {1};
  EXPECT_EQ(verdict(dummy), InputVerdict::Invalid);
  auto swapped = good;
  std::swap(swapped.tx.inputs[0].witness[1], swapped.tx.inputs[0].witness[2]);
  EXPECT_EQ(verdict(swapped), InputVerdict::Invalid);
  auto twice = good;
  twice.tx.inputs[0].witness[2] = twice.tx.inputs[0].witness[1];
  EXPECT_EQ(verdict(twice), InputVerdict::Invalid) << "one signature counts once";
}

TEST(InputCheck, SaysUnknownOfOtherForms) {
  util::Rng rng(std::uint64_t{16});
  auto payment = signed_payment({test::all_forms()[4]}, rng);
  payment.tx.inputs[0].witness.push_back(util::Bytes{0x50});  // an annex
  EXPECT_EQ(verdict(payment), InputVerdict::Unknown);
  payment.tx.inputs[0] = {};
  payment.spent[0].script_pubkey = hex("51");
  EXPECT_EQ(verdict(payment), InputVerdict::Unknown);
  payment.spent[0].script_pubkey = hex("51024e73");
  EXPECT_EQ(verdict(payment), InputVerdict::Unknown) << "a witness program of another kind";
  EXPECT_EQ(verdict(payment, 1), InputVerdict::Invalid) << "no such input";
}

TEST(InputCheck, ValidAndSignsAllAreTwoThings) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip341/wallet-test-vectors.json");
  const auto file = spv::test::read_json(path);
  const auto& row = file.at("keyPathSpending").as_array()[0];
  const auto tx = *chain::Transaction::parse(hex(row.at("auxiliary").at("fullySignedTx")));
  std::vector<chain::TxOutput> spent;
  for (const auto& output : row.at("given").at("utxosSpent").as_array()) {
    spent.push_back({output.at("amountSats").as_int64(), hex(output.at("scriptPubKey"))});
  }
  const SighashData data(tx, spent);
  for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
    EXPECT_EQ(check_input(data, i).verdict, InputVerdict::Valid) << i;
  }
  EXPECT_FALSE(check_input(data, 0).signs_all) << "SINGLE";
  EXPECT_TRUE(check_input(data, 3).signs_all) << "ALL";
  EXPECT_TRUE(check_input(data, 4).signs_all) << "DEFAULT";
}

// Bitcoin Core's transactions: the scripts are written as words.

const std::map<std::string, std::uint8_t>& words() {
  static const std::map<std::string, std::uint8_t> kWords{{"DUP", 0x76},
                                                          {"HASH160", 0xA9},
                                                          {"EQUAL", 0x87},
                                                          {"EQUALVERIFY", 0x88},
                                                          {"CHECKSIG", 0xAC},
                                                          {"CHECKMULTISIG", 0xAE},
                                                          {"CHECKSIGVERIFY", 0xAD},
                                                          {"CODESEPARATOR", 0xAB},
                                                          {"NOP", 0x61},
                                                          {"NOT", 0x91},
                                                          {"SWAP", 0x7C},
                                                          {"DROP", 0x75},
                                                          {"CHECKLOCKTIMEVERIFY", 0xB1},
                                                          {"CHECKSEQUENCEVERIFY", 0xB2},
                                                          {"HASH256", 0xAA},
                                                          {"VERIFY", 0x69}};
  return kWords;
}

/// Words that are not known become OP_RESERVED: a form that nobody knows either.
util::Bytes script_of_words(const std::string& text) {
  util::Bytes out;
  std::stringstream in(text);
  for (std::string word; in >> word;) {
    if (word.starts_with("OP_")) word.erase(0, 3);
    const bool number = word.find_first_not_of("0123456789") == std::string::npos && word.size() <= 2;
    if (word.starts_with("0x")) {
      const auto bytes = hex(word.substr(2));
      out.insert(out.end(), bytes.begin(), bytes.end());
    } else if (number && std::stoi(word) <= 16) {
      out.push_back(small_number_opcode(std::stoi(word)));
    } else {
      const auto found = words().find(word);
      out.push_back(found != words().end() ? found->second : std::uint8_t{0x50});
    }
  }
  return out;
}

struct CoreRow {
  chain::Transaction tx;
  std::vector<chain::TxOutput> spent;
  std::set<std::string> flags;
  std::string text;
};

std::vector<CoreRow> core_rows(const std::string& path) {
  std::vector<CoreRow> out;
  const auto file = spv::test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto& cells = row.as_array();
    if (cells.size() != 3) continue;
    CoreRow entry;
    entry.text = cells[1].as_string().c_str();
    const auto tx = chain::Transaction::parse(hex(cells[1]));
    if (!tx) continue;
    entry.tx = *tx;
    std::map<chain::OutPoint, chain::TxOutput> outputs;
    for (const auto& cell : cells[0].as_array()) {
      const auto& coin = cell.as_array();
      const chain::OutPoint outpoint{*util::parse_hash<chain::Txid>(coin[0].as_string().c_str()),
                                     static_cast<std::uint32_t>(coin[1].as_int64())};
      outputs[outpoint] = {coin.size() > 3 ? coin[3].as_int64() : 0, script_of_words(coin[2].as_string().c_str())};
    }
    for (const auto& input : entry.tx.inputs) entry.spent.push_back(outputs[input.previous]);
    std::stringstream flags(cells[2].as_string().c_str());
    for (std::string flag; std::getline(flags, flag, ',');) entry.flags.insert(flag);
    out.push_back(std::move(entry));
  }
  return out;
}

TEST(InputCheck, NeverCallsValidWhatCoreRefuses) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/tx_invalid.json");
  int known = 0;
  for (const auto& row : core_rows(path)) {
    if (row.flags.contains("BADTX")) continue;  // refused for another reason than its scripts
    const SighashData data(row.tx, row.spent);
    bool all_valid = !row.tx.inputs.empty();
    for (std::size_t i = 0; i < row.tx.inputs.size(); ++i) {
      const auto found = check_input(data, i).verdict;
      all_valid = all_valid && found == InputVerdict::Valid;
      known += found == InputVerdict::Invalid ? 1 : 0;
    }
    EXPECT_FALSE(all_valid) << row.text;
  }
  EXPECT_GT(known, 10) << "some must be of known forms";
}

TEST(InputCheck, NeverCallsInvalidWhatCoreTakesByAllRules) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/tx_valid.json");
  const std::array stricter{"DERSIG",      "LOW_S",      "STRICTENC", "NULLDUMMY",          "SIGPUSHONLY",
                            "MINIMALDATA", "CLEANSTACK", "WITNESS",   "WITNESS_PUBKEYTYPE", "MINIMALIF",
                            "NULLFAIL",    "P2SH",       "TAPROOT",   "CONST_SCRIPTCODE"};
  int valid = 0;
  for (const auto& row : core_rows(path)) {
    if (row.tx.is_coinbase()) continue;
    const bool loose = std::ranges::any_of(stricter, [&](const char* flag) { return row.flags.contains(flag); });
    const SighashData data(row.tx, row.spent);
    for (std::size_t i = 0; i < row.tx.inputs.size() && !loose; ++i) {
      const auto found = check_input(data, i).verdict;
      EXPECT_NE(found, InputVerdict::Invalid) << row.text << " input " << i;
      valid += found == InputVerdict::Valid ? 1 : 0;
    }
  }
  EXPECT_GT(valid, 10);
}

}  // namespace
}  // namespace spv::wallet::spend
