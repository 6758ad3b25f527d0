// The views for people's own queries, over rows written by hand.
#include <gtest/gtest.h>

#include "store/postgres/schema.h"
#include "tests/store/postgres/database_fixture.h"

namespace spv::store::postgres {
namespace {

class ViewsTest : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    if (IsSkipped()) return;
    migrate(url(), chain::Network::Regtest);
    wallet(1, "alice");
    wallet(2, "bob");
  }

  void wallet(int id, const std::string& its_name) {
    const std::string number = std::to_string(id);
    sql("INSERT INTO wallet (name, shard, kind, gap_limit, birthday, filter_tweak, decoy_seed, created) VALUES ('" +
        its_name + "', 1, 'watch', 20, 0, 0, 0, 0); INSERT INTO key_chain VALUES (" + number +
        ", 0, 'd', false, 1, NULL, 0); INSERT INTO script VALUES (" + number + ", 0, 0, '\\x5100');" +
        "INSERT INTO scan VALUES (" + number + ", 200, '', NULL, NULL, '', '', 0, 0)");
  }
  /// Transactions have one letter, which all bytes of their txid are.
  static std::string txid(char letter) { return "decode(repeat('" + std::string(2, letter) + "', 32), 'hex')"; }
  void tx(char letter, bool coinbase = false) {
    sql("INSERT INTO tx VALUES (" + txid(letter) + ", '', " + (coinbase ? "true" : "false") + ")");
  }
  void spends(char letter, int input, char spent, int vout) {
    sql("INSERT INTO tx_input VALUES (" + txid(letter) + ", " + std::to_string(input) + ", " + txid(spent) + ", " +
        std::to_string(vout) + ")");
  }
  void belongs(char letter, int its_wallet, int height, const std::string& state) {
    const std::string block = height < 0 ? "NULL, NULL, NULL, NULL" : std::to_string(height) + ", 'hash', 1000, 1";
    sql("INSERT INTO wallet_tx (wallet, txid, block_height, block_hash, block_time, block_index, first_seen, sequence,"
        " proof, seen_at, told_state) VALUES (" +
        std::to_string(its_wallet) + ", " + txid(letter) + ", " + block + ", 900, 0, '', 0, " + state + ")");
  }
  void pays(char letter, int vout, int its_wallet, int amount) {
    sql("INSERT INTO coin VALUES (" + std::to_string(its_wallet) + ", " + txid(letter) + ", " + std::to_string(vout) +
        ", " + std::to_string(amount) + ", 0, 0)");
  }
  std::string balance(const std::string& of) {
    return sql("SELECT concat_ws(' ', confirmed, unconfirmed, immature, total) FROM balance WHERE wallet = '" + of +
               "'");
  }
  std::string utxos(const std::string& of) {
    return sql(
        "SELECT string_agg(concat_ws(' ', left(txid, 1), vout, amount, confirmations, coinbase, frozen), ', '"
        " ORDER BY txid, vout) FROM utxo WHERE wallet = '" +
        of + "'");
  }
  std::string history(const std::string& of) {
    return sql(
        "SELECT string_agg(concat_ws(' ', left(txid, 1), state, net, block_height, label), ', ' ORDER BY txid)"
        " FROM history WHERE wallet = '" +
        of + "'");
  }
};

TEST_F(ViewsTest, ShowAnEmptyWallet) {
  EXPECT_EQ(balance("alice"), "0 0 0 0");
  EXPECT_EQ(utxos("alice"), "");
  EXPECT_EQ(history("alice"), "");
}

// Alice gets 1000 in block 10 and pays Bob 700 of it, unconfirmed; that replaced a payment of 100. She also mined.
TEST_F(ViewsTest, CountWhatCounts) {
  tx('a');
  belongs('a', 1, 10, "'confirmed'");
  pays('a', 0, 1, 1'000);
  tx('b');
  spends('b', 0, 'a', 0);
  belongs('b', 1, -1, "'unconfirmed'");
  belongs('b', 2, -1, "NULL");
  pays('b', 0, 1, 300);
  pays('b', 1, 2, 700);
  tx('c');
  spends('c', 0, 'a', 0);
  belongs('c', 1, -1, "'conflicted'");
  pays('c', 0, 1, 900);
  tx('d', true);
  belongs('d', 1, 150, "NULL");
  pays('d', 0, 1, 5'000);
  sql("INSERT INTO label VALUES (1, 'tx', repeat('bb', 32), 'rent', '', NULL),"
      " (1, 'output', repeat('dd', 32) || ':0', '', '', false)");

  EXPECT_EQ(balance("alice"), "1000 -700 5000 5300");
  EXPECT_EQ(balance("bob"), "0 700 0 700");
  EXPECT_EQ(utxos("alice"), "b 0 300 0 f f, d 0 5000 51 t t");
  EXPECT_EQ(utxos("bob"), "b 1 700 0 f f");
  EXPECT_EQ(history("alice"), "a confirmed 1000 10, b unconfirmed -700 rent, c conflicted -100, d confirmed 5000 150");
  EXPECT_EQ(history("bob"), "b unconfirmed 700");

  sql("UPDATE wallet_tx SET block_height = 200, block_hash = 'h', block_time = 1, block_index = 1,"
      " told_state = 'confirmed' WHERE txid = " +
      txid('b'));
  EXPECT_EQ(balance("alice"), "300 0 5000 5300");
  EXPECT_EQ(balance("bob"), "700 0 0 700");
  sql("UPDATE scan SET height = 249");
  EXPECT_EQ(balance("alice"), "5300 0 0 5300");
}

// Of three in a row that are not confirmed, only the last has a coin.
TEST_F(ViewsTest, FollowAChainOfUnconfirmed) {
  tx('a');
  belongs('a', 1, -1, "'unconfirmed'");
  pays('a', 0, 1, 1'000);
  tx('b');
  spends('b', 0, 'a', 0);
  belongs('b', 1, -1, "'unconfirmed'");
  pays('b', 0, 1, 900);
  EXPECT_EQ(balance("alice"), "0 900 0 900");
  EXPECT_EQ(utxos("alice"), "b 0 900 0 f f");
}

TEST_F(ViewsTest, TurnHashesRound) {
  EXPECT_EQ(sql("SELECT display_hash('\\x0102ff')"), "ff0201");
  EXPECT_EQ(sql("SELECT stored_hash('ff0201') = '\\x0102ff'"), "t");
  EXPECT_EQ(sql("SELECT display_hash(NULL) IS NULL"), "t");
  EXPECT_EQ(sql("SELECT script = '\\x5100' FROM script LIMIT 1"), "t");
}

}  // namespace
}  // namespace spv::store::postgres
