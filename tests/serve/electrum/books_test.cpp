#include "serve/electrum/books.h"

#include <gtest/gtest.h>

#include "tests/serve/electrum/electrum_fixture.h"

namespace spv::serve::electrum {
namespace {

using test::TxBuilder;
using Kind = Books::Found::Kind;

TEST(ElectrumBooks, KnowEveryScriptOfAScannedWallet) {
  const auto wallet = scanned_wallet();
  Books books;
  EXPECT_TRUE(books.put(view_of("w", wallet, nullptr)).empty());
  for (const std::uint32_t index : {0U, 1U, 199U}) {
    const auto found = books.find(hash_of_script(test::change_script(index)));
    EXPECT_EQ(found.kind, Kind::Known);
    EXPECT_EQ(found.place, (ScriptPlace{"w", 1, index}));
  }
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(200))).kind, Kind::Stranger);
  books.remove("w");
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(0))).kind, Kind::Stranger);
}

TEST(ElectrumBooks, L5_AScriptThatIsNotScannedForIsNotKnown) {
  auto wallet = test::sample_wallet();
  Books books;
  books.put(view_of("w", wallet, nullptr));
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(0))).kind, Kind::Scanning);
  EXPECT_EQ(books.incomplete(), std::vector<std::string>{"w"});
  static_cast<void>(wallet.set_scan(test::scanned_to(50)));
  static_cast<void>(wallet.note_synced());
  books.put(view_of("w", wallet, books.view("w").get()));
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(0))).kind, Kind::Known);
  // Scripts that come later are scanned for first; the others stay known meanwhile.
  static_cast<void>(wallet.hand_out_to({0, 300}));
  static_cast<void>(wallet.rescan(1));
  books.put(view_of("w", wallet, books.view("w").get()));
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(0))).kind, Kind::Known);
  EXPECT_EQ(books.find(hash_of_script(test::receive_script(300))).kind, Kind::Scanning);
}

TEST(ElectrumBooks, TellWhichScriptsHaveChanged) {
  auto wallet = scanned_wallet();
  Books books;
  books.put(view_of("w", wallet, nullptr));
  const auto payment = TxBuilder().pays(test::receive_script(3), 70'000).build();
  static_cast<void>(test::see(wallet, payment));
  const auto script = hash_of_script(test::receive_script(3));
  EXPECT_EQ(books.put(view_of("w", wallet, books.view("w").get())), std::vector<ScriptHash>{script});
  EXPECT_TRUE(books.put(view_of("w", wallet, books.view("w").get())).empty());
  ASSERT_EQ(books.history(script).lines.size(), 1U);
  EXPECT_EQ(books.history(script).lines[0].height, kUnconfirmed);
  EXPECT_EQ(books.holder(payment.txid()), "w");
  // A payment out of it touches it again, as a child of an unconfirmed one.
  const auto child = TxBuilder().spends(payment).pays(test::change_script(0), 60'000).build();
  static_cast<void>(test::see(wallet, child));
  EXPECT_EQ(books.put(view_of("w", wallet, books.view("w").get())).size(), 2U);
  const auto lines = books.history(script).lines;
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].height, kUnconfirmedParent);
  EXPECT_EQ(lines[1].fee, 10'000);
  static_cast<void>(test::confirm(wallet, payment, 101, 4));
  books.put(view_of("w", wallet, books.view("w").get()));
  EXPECT_EQ(books.at(101, 4), payment.txid());
  EXPECT_FALSE(books.at(101, 3));
  EXPECT_EQ(balance_of(books.history(script).outputs).confirmed, 70'000);
  EXPECT_EQ(balance_of(books.history(script).outputs).unconfirmed, -70'000);
}

TEST(ElectrumBooks, SeeAThousandScriptsAhead) {
  const auto wallet = scanned_wallet();
  Books books;
  books.put(view_of("w", wallet, nullptr));
  const auto missing = books.missing_ahead();
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].first, 200U);
  EXPECT_EQ(missing[0].count, Books::kAhead);
  std::vector<ScriptHash> scripts;
  for (std::uint32_t i = 200; i < 1'200; ++i) scripts.push_back(hash_of_script(test::receive_script(i)));
  books.put_ahead(missing[0], scripts);
  const auto found = books.find(hash_of_script(test::receive_script(1'199)));
  EXPECT_EQ(found.kind, Kind::Ahead);
  EXPECT_EQ(found.place, (ScriptPlace{"w", 0, 1'199}));
  EXPECT_EQ(books.missing_ahead().size(), 1U);
  books.put_ahead(missing[0], scripts);  // what was derived twice changes nothing
  EXPECT_EQ(books.missing_ahead().size(), 1U);
}

TEST(ElectrumBooks, AnotherWalletOfTheSameNameTakesItsPlace) {
  Books books;
  books.put(view_of("w", scanned_wallet(), nullptr));
  auto config = test::sample_config();
  std::swap(config.key_chains[0], config.key_chains[1]);
  wallet::Wallet other(config, wallet::Wallet::fresh_state(config));
  books.put(view_of("w", other, books.view("w").get()));
  EXPECT_EQ(books.find(hash_of_script(test::change_script(7))).place, (ScriptPlace{"w", 0, 7}));
  EXPECT_EQ(books.find(hash_of_script(test::change_script(7))).kind, Kind::Scanning);
  EXPECT_EQ(books.size(), 1U);
}

}  // namespace
}  // namespace spv::serve::electrum
