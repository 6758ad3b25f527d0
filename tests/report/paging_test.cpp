// Pages of lists that change while somebody turns them.
#include "report/paging.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::report {
namespace {

using wallet::HistoryEntry;
using wallet::TxStatus;

chain::Txid txid(std::uint8_t number) {
  chain::Txid out;
  out.bytes[0] = number;
  return out;
}

HistoryEntry waiting(std::uint8_t number, util::UnixTime seen) {
  return {.txid = txid(number), .confirmation = {}, .first_seen = seen, .fee = {}, .status = TxStatus::Unconfirmed};
}
HistoryEntry mined(std::uint8_t number, chain::Height height, std::uint32_t index = 1) {
  return {.txid = txid(number),
          .confirmation = test::confirmed_at(height, index),
          .fee = {},
          .status = TxStatus::Confirmed};
}
HistoryEntry dead(std::uint8_t number, util::UnixTime seen) {
  return {.txid = txid(number), .confirmation = {}, .first_seen = seen, .fee = {}, .status = TxStatus::Conflicted};
}

using Rows = std::vector<std::size_t>;

std::string cursor_after(const std::vector<HistoryEntry>& list, std::size_t rows) {
  return page_of_history(list, {.limit = rows})->next.value();
}
Rows rest_after(const std::vector<HistoryEntry>& list, const std::string& cursor) {
  return page_of_history(list, {.limit = 100, .after = cursor})->rows;
}

TEST(Paging, TheLastPageHasNoNext) {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto first = page_of_names(names, {.limit = 2});
  EXPECT_EQ(first->rows, (Rows{0, 1}));
  EXPECT_EQ(first->next, "b");
  const auto second = page_of_names(names, {.limit = 2, .after = first->next});
  EXPECT_EQ(second->rows, (Rows{2}));
  EXPECT_EQ(second->next, std::nullopt);
  EXPECT_EQ(page_of_names(names, {.limit = 3})->next, std::nullopt) << "exactly full";
  EXPECT_TRUE(page_of_names({}, {})->rows.empty());
}

TEST(Paging, AWalletThatIsGoneStillHasItsPlace) {
  EXPECT_EQ(page_of_names(std::vector<std::string>{"a", "c"}, {.after = "b"})->rows, (Rows{1}));
}

TEST(Paging, NoPageIsLongerThanTheLimitOfAll) {
  const std::vector<std::string> names(5'000, "a");
  EXPECT_EQ(page_of_names(names, {.limit = 1'000'000})->rows.size(), kMaxPageSize);
}

TEST(Paging, HistoryGoesOnWhereItWasWhenNewTransactionsCome) {
  std::vector<HistoryEntry> list{waiting(1, 30), mined(2, 20), mined(3, 10)};
  const auto after_waiting = cursor_after(list, 1);
  const auto after_mined = cursor_after(list, 2);
  list.insert(list.begin(), {waiting(7, 50), waiting(8, 40)});
  EXPECT_EQ(rest_after(list, after_waiting), (Rows{3, 4}));
  EXPECT_EQ(rest_after(list, after_mined), (Rows{4}));
}

TEST(Paging, WhatWaitedIsNotMissedWhenTheLastRowIsConfirmed) {
  const auto cursor = cursor_after({waiting(1, 50), waiting(2, 40), mined(3, 10)}, 1);
  EXPECT_EQ(rest_after({waiting(2, 40), mined(1, 11), mined(3, 10)}, cursor), (Rows{0, 1, 2}));
}

TEST(Paging, ManySeenInTheSameSecondAreListedOnce) {
  const std::vector<HistoryEntry> list{waiting(9, 50), waiting(1, 50), waiting(5, 50), mined(3, 10)};
  EXPECT_EQ(rest_after(list, cursor_after(list, 2)), (Rows{2, 3}));
}

TEST(Paging, ABlockThatLeftTheChainHidesNothingBelowIt) {
  const auto cursor = cursor_after({mined(1, 12), mined(2, 11), mined(3, 10)}, 2);
  EXPECT_EQ(rest_after({waiting(2, 50), mined(1, 12), mined(3, 10)}, cursor), (Rows{2}));
}

TEST(Paging, WhatCountsNowhereHasAPlaceToo) {
  const std::vector<HistoryEntry> list{waiting(1, 50), dead(2, 45), mined(3, 12),
                                       dead(4, 30),    dead(5, 25), mined(6, 10)};
  for (std::size_t rows = 1; rows < list.size(); ++rows) {
    Rows expected;
    for (std::size_t row = rows; row < list.size(); ++row) expected.push_back(row);
    EXPECT_EQ(rest_after(list, cursor_after(list, rows)), expected) << rows;
  }
  // It counts again: what stood below the block above it is listed.
  EXPECT_EQ(rest_after({waiting(4, 60), mined(3, 12), dead(5, 25), mined(6, 10)}, cursor_after(list, 4)), (Rows{2, 3}));
}

wallet::Coin coin(std::uint8_t number, std::optional<chain::Height> height, std::uint32_t vout = 0) {
  wallet::Coin out;
  out.outpoint = {.txid = txid(number), .index = vout};
  out.height = height;
  return out;
}

TEST(Paging, CoinsOfOneBlockKeepTheOrderOfTheList) {
  const std::vector<wallet::Coin> list{coin(9, 5), coin(1, 5), coin(4, 6), coin(2, {}), coin(3, {})};
  for (std::size_t rows = 1; rows < list.size(); ++rows) {
    const auto next = page_of_coins(list, {.limit = rows})->next;
    ASSERT_TRUE(next);
    const auto rest = page_of_coins(list, {.after = next})->rows;
    EXPECT_EQ(rest.front(), rows);
    EXPECT_EQ(rest.size(), list.size() - rows);
  }
}

TEST(Paging, ACoinThatIsConfirmedMeanwhileIsNotMissed) {
  const std::vector<wallet::Coin> before{coin(9, 5), coin(2, {}), coin(3, {})};
  const auto next = page_of_coins(before, {.limit = 2})->next;
  const std::vector<wallet::Coin> after{coin(9, 5), coin(3, 6), coin(2, {})};
  EXPECT_EQ(page_of_coins(after, {.after = next})->rows, (Rows{1}));
}

TEST(Paging, ACoinThatIsSpentMeanwhileHidesNoOther) {
  const std::vector<wallet::Coin> before{coin(9, 5), coin(1, 5), coin(4, 6)};
  const auto next = page_of_coins(before, {.limit = 1})->next;
  const std::vector<wallet::Coin> after{coin(1, 5), coin(4, 6)};
  EXPECT_EQ(page_of_coins(after, {.after = next})->rows, (Rows{0, 1}));
}

TEST(Paging, AddressesGoOnBehindTheLastOne) {
  std::vector<wallet::ScriptEntry> list;
  for (std::size_t chain = 0; chain < 2; ++chain) {
    for (std::uint32_t index = 0; index < 3; ++index) list.push_back({.chain = chain, .index = index, .script = {}});
  }
  const auto first = page_of_addresses(list, {.limit = 4});
  EXPECT_EQ(page_of_addresses(list, {.after = first->next})->rows, (Rows{4, 5}));
  list.insert(list.begin() + 3, {.chain = 0, .index = 3, .script = {}});
  EXPECT_EQ(page_of_addresses(list, {.after = first->next})->rows, (Rows{5, 6}));
}

TEST(Paging, OnlyACursorOfTheListIsTaken) {
  const std::vector<HistoryEntry> history{mined(2, 20), mined(3, 10)};
  const std::vector<wallet::Coin> coins{coin(1, 5), coin(2, 6)};
  const std::string of_history = page_of_history(history, {.limit = 1})->next.value();
  const std::string of_coins = page_of_coins(coins, {.limit = 1})->next.value();
  for (const std::string& bad : {std::string(), std::string("c"), of_coins, of_history + ".", "+" + of_history,
                                 of_history + "0", std::string("u.-1.0.5."), std::string(10'000, '.')}) {
    EXPECT_FALSE(page_of_history(history, {.after = bad})) << bad;
  }
  for (const std::string& bad : {std::string(), std::string("1"), of_history, of_coins + ".1", of_coins + " "}) {
    EXPECT_FALSE(page_of_coins(coins, {.after = bad})) << bad;
  }
  for (const char* bad : {"", "1", "1.", ".1", "01.1", "1.1.1", "-1.1", "1.4294967296"}) {
    EXPECT_FALSE(page_of_addresses({}, {.after = bad})) << bad;
  }
  for (const char* bad : {"", "../a", "a b"}) EXPECT_FALSE(page_of_names({}, {.after = bad})) << bad;
}

/// A wallet to which payments come, are confirmed and conflict.
class BusyWallet {
 public:
  void happen() {
    const auto what = *rc::gen::inRange(0, 4);
    if (what < 2 || known_.empty()) return see(test::TxBuilder().pays(test::receive_script(0), 100).build());
    const auto tx = known_[*rc::gen::inRange<std::size_t>(0, known_.size())];
    if (what == 3) {
      return see(test::TxBuilder().spends(tx.inputs[0].previous).pays(test::receive_script(1), 90).build());
    }
    if (!wallet_.find(tx.txid())->confirmation) test::confirm(wallet_, tx, ++height_);
  }
  [[nodiscard]] std::vector<HistoryEntry> history() const { return wallet_.history(); }

 private:
  void see(const chain::Transaction& tx) {
    wallet_.apply_unconfirmed(tx, 1'600'000'000 + *rc::gen::inRange(0, 50) * 300);
    known_.push_back(tx);
  }

  wallet::Wallet wallet_ = test::sample_wallet();
  std::vector<chain::Transaction> known_;
  chain::Height height_ = 0;
};

std::set<chain::Txid> ids_of(const std::vector<HistoryEntry>& history) {
  std::set<chain::Txid> out;
  for (const auto& entry : history) out.insert(entry.txid);
  return out;
}

// Whoever turns pages meanwhile gets each transaction that was there from the beginning and stands as it stood.
RC_GTEST_PROP(Paging, NothingThatWasThereIsMissed, ()) {
  BusyWallet wallet;
  for (int i = 0; i < 20; ++i) wallet.happen();
  auto expected = ids_of(wallet.history());
  PageRequest request{.limit = *rc::gen::inRange<std::size_t>(1, 6)};
  for (;;) {
    const auto before = wallet.history();
    const auto page = page_of_history(before, request);
    RC_ASSERT(page.has_value());
    for (const std::size_t row : page->rows) expected.erase(before[row].txid);
    if (!page->next) break;
    request.after = page->next;
    wallet.happen();
    for (const auto& entry : wallet.history()) {
      const auto was = std::ranges::find(before, entry.txid, &HistoryEntry::txid);
      if (was != before.end() && was->status != entry.status) expected.erase(entry.txid);
    }
  }
  RC_ASSERT(expected.empty());
}

}  // namespace
}  // namespace spv::report
