#include "sync/peers/book_dialer.h"

#include <gtest/gtest.h>

#include "sync/peers/peer_pool.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kGood = p2p::services::kNetwork | p2p::services::kBloom;

constexpr const char* kOnion = "v7ajjeirttkbnt32wpy3c6w3emwnfr3fkla7hpxcfokr3ysd3kqtzmqd.onion";

p2p::NetAddress nth(std::uint32_t group) {
  p2p::NetAddress address;
  address.bytes = {static_cast<std::uint8_t>(11 + group / 250), static_cast<std::uint8_t>(group % 250), 1, 1};
  address.port = 8333;
  return address;
}

/// A pool over a book, driven by hand.
class BookDialerTest : public testing::Test {
 protected:
  void fill(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) book_.add(nth(i), kGood, p2p::Origin::Seed, "seed", now_.wall, rng_);
  }
  void start(std::size_t wanted, bool persistent = false) {
    pool_.emplace(std::vector<PeerAddress>{}, persistent, BookUse{&book_, wanted, reach_, {}});
  }
  void start_with_fixed(std::vector<PeerAddress> fixed) {
    pool_.emplace(std::vector<PeerAddress>{}, false, BookUse{&book_, 4, reach_, std::move(fixed)});
  }
  std::vector<Connect> connect() {
    Outbox out;
    pool_->connect_due(now_, rng_, out);
    std::vector<Connect> orders;
    for (const auto& action : out.take()) {
      if (const auto* order = std::get_if<Connect>(&action)) orders.push_back(*order);
      searches_ += std::holds_alternative<FindPeers>(action) ? 1 : 0;
    }
    return orders;
  }
  void make_ready(PeerId id, std::uint64_t services = kGood) {
    Outbox out;
    pool_->on_connected(id, 1, now_, out);
    p2p::Version version;
    version.nonce = 99;
    version.services = services;
    pool_->find(id)->session->handle(version, now_);
    pool_->find(id)->session->handle(p2p::Verack{}, now_);
    pool_->on_ready(*pool_->find(id), now_, out);
    for (const auto& action : out.take()) {
      const auto* send = std::get_if<Send>(&action);
      asked_for_addresses_ += send != nullptr && std::holds_alternative<p2p::GetAddr>(send->message) ? 1 : 0;
    }
  }
  void lose(PeerId id, std::optional<DisconnectReason> reason = std::nullopt) {
    pool_->on_lost(id, reason ? std::string(to_string(*reason)) : "refused", reason, now_, rng_);
  }
  void elapse(util::Duration duration) {
    now_.monotonic += duration;
    now_.wall += std::chrono::duration_cast<seconds>(duration).count();
  }
  void seeds_are_silent() {
    PeersFound nothing;
    nothing.last = true;
    pool_->on_found(nothing, now_, rng_);
  }

  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 1'800'000'000};
  util::Rng rng_{5};
  p2p::AddressBook book_;
  p2p::AddressBook::Reach reach_;
  std::optional<PeerPool> pool_;
  int searches_ = 0;
  int asked_for_addresses_ = 0;
};

TEST_F(BookDialerTest, DialsTwiceAsManyAsAreWantedAndStopsWhenTheyServe) {
  fill(100);
  start(3);
  const auto orders = connect();
  ASSERT_EQ(orders.size(), 6U);
  std::set<std::string> groups;
  for (const auto& order : orders) groups.insert(p2p::group_of(*p2p::parse_net_address(order.address.host, 1)));
  EXPECT_EQ(groups.size(), 6U);
  for (int i = 0; i < 3; ++i) make_ready(orders[static_cast<std::size_t>(i)].peer);
  elapse(seconds(2));
  EXPECT_TRUE(connect().empty());
  EXPECT_EQ(searches_, 0);
  EXPECT_EQ(asked_for_addresses_, 3);
}

TEST_F(BookDialerTest, H19_OnePeerOfABookIsNeverTheOnlyOneThatCanBeAsked) {
  fill(1);
  start(1);
  connect();
  EXPECT_FALSE(pool_->is_sole());
  PeerPool named({{"a", 1}}, false);
  EXPECT_TRUE(named.is_sole());
}

TEST_F(BookDialerTest, AsksTheSeedsOnceWhereFewAreKnown) {
  start(4);
  EXPECT_TRUE(connect().empty());
  EXPECT_EQ(searches_, 1);
  EXPECT_FALSE(pool_->exhausted());
  PeersFound found;
  found.source = "seed.example";
  found.services = kGood;
  found.addresses = {{"11.0.0.1", 8333}, {"11.1.0.1", 8333}, {"127.0.0.1", 8333}};
  pool_->on_found(found, now_, rng_);
  EXPECT_EQ(connect().size(), 2U);  // N12: a seed's loopback address is not dialled
  EXPECT_EQ(searches_, 1);
}

TEST_F(BookDialerTest, GivesUpWhenNobodyIsKnownAndTheSeedsAreSilent) {
  start(4);
  connect();
  seeds_are_silent();
  connect();
  EXPECT_TRUE(pool_->exhausted());
  EXPECT_EQ(pool_->errors(), "no peer addresses are known");
}

TEST_F(BookDialerTest, FixedPeersAreDialledOnceTheBookIsEmptyAndTheSeedsAreSilent) {
  start_with_fixed({{"11.0.0.1", 8333}, {"12.0.0.1", 8333}, {kOnion, 8333}});
  EXPECT_TRUE(connect().empty());  // the seeds are asked first
  EXPECT_EQ(searches_, 1);
  EXPECT_EQ(book_.size(), 0U);
  seeds_are_silent();
  const auto orders = connect();
  ASSERT_EQ(orders.size(), 2U);  // an onion service is out of reach without a proxy
  EXPECT_EQ(book_.size(), 2U);
  EXPECT_EQ(book_.entries().begin()->second.source, "fixed list");
  for (const auto& order : orders) lose(order.peer);
  EXPECT_FALSE(pool_->exhausted());  // nobody could be reached, so that they are due again soon
}

TEST_F(BookDialerTest, FixedPeersAreLeftAloneWhileTheBookHasSomebody) {
  fill(1);
  start_with_fixed({{"12.0.0.1", 8333}});
  auto orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, p2p::host_of(nth(0)));
  seeds_are_silent();
  elapse(seconds(2));
  EXPECT_TRUE(connect().empty());  // it is still being dialled
  EXPECT_EQ(book_.size(), 1U);
  make_ready(orders[0].peer, p2p::services::kNetwork);
  lose(orders[0].peer, DisconnectReason::NoBloomFilters);  // not to be tried again for a week: now nobody is left
  elapse(seconds(5));
  orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, "12.0.0.1");
}

TEST_F(BookDialerTest, FixedPeersAreLeftAloneWhereTheSeedsKnowSomebody) {
  start_with_fixed({{"12.0.0.1", 8333}});
  connect();
  PeersFound found;
  found.services = kGood;
  found.addresses = {{"11.0.0.1", 8333}};
  found.last = true;
  pool_->on_found(found, now_, rng_);
  const auto orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, "11.0.0.1");
  make_ready(orders[0].peer);
  elapse(seconds(5));
  EXPECT_TRUE(connect().empty());
}

TEST_F(BookDialerTest, P5_BehindAProxyFixedPeersComeAfterTheNamesOfTheSeedsAndOnionServicesAmongThem) {
  reach_.onion = true;
  start_with_fixed({{kOnion, 8333}});
  connect();
  PeersFound found;
  found.addresses = {{"x5.seed.example", 8333}};
  found.last = true;
  pool_->on_found(found, now_, rng_);
  auto orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, "x5.seed.example");
  lose(orders[0].peer);
  elapse(seconds(5));
  orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, kOnion);
}

TEST_F(BookDialerTest, NamedPeersAreNeverJoinedByFixedOnes) {
  PeerPool named({{"127.0.0.1", 1}}, false);  // as with --connect: there is no book, and so nothing to fall back on
  Outbox out;
  named.connect_due(now_, rng_, out);
  named.on_lost(1, "refused", std::nullopt, now_, rng_);
  EXPECT_FALSE(named.uses_book());
  for (const auto& action : out.take()) {
    const auto* order = std::get_if<Connect>(&action);
    EXPECT_TRUE(order != nullptr && order->address.host == "127.0.0.1");
  }
}

TEST_F(BookDialerTest, NamesBehindAProxyAreDialledAsTheyAre) {
  start(4);
  connect();
  PeersFound found;
  found.addresses = {{"x5.seed.example", 8333}};
  found.last = true;
  pool_->on_found(found, now_, rng_);
  const auto orders = connect();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].address.host, "x5.seed.example");
  make_ready(orders[0].peer);
  EXPECT_EQ(book_.size(), 0U);
}

TEST_F(BookDialerTest, E9_FiveOfAHundredThatServeFiltersAreFoundAndTheRestRemembered) {
  fill(100);
  start(4);
  std::size_t ready = 0;
  int rounds = 0;
  for (; ready < 4 && rounds < 200; ++rounds) {
    for (const auto& order : connect()) {
      const auto number = p2p::parse_net_address(order.address.host, 1)->bytes[1];
      if (number % 20 == 7) {
        make_ready(order.peer);
        ++ready;
      } else {
        make_ready(order.peer, p2p::services::kNetwork);
        lose(order.peer, DisconnectReason::NoBloomFilters);
      }
    }
    elapse(seconds(1));
  }
  EXPECT_GE(ready, 4U);
  EXPECT_LT(rounds, 60);
  std::size_t unfit = 0;
  for (const auto& [address, entry] : book_.entries()) unfit += entry.next_try > now_.wall + 86'400 ? 1U : 0U;
  EXPECT_GT(unfit, 20U);
}

TEST_F(BookDialerTest, APeerThatBrokeTheRulesIsBannedForADay) {
  fill(20);
  start(2);
  const auto order = connect().at(0);
  make_ready(order.peer);
  lose(order.peer, DisconnectReason::BadProof);
  const auto* entry = book_.find(*p2p::parse_net_address(order.address.host, order.address.port));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->banned_until, now_.wall + 86'400);
  EXPECT_EQ(entry->note, to_string(DisconnectReason::BadProof));
}

TEST_F(BookDialerTest, E3_ANetworkThatIsBackIsUsedWithinFiveSecondsAndNobodyIsBlamedForIt) {
  fill(50);
  start(2, true);
  for (const auto& order : connect()) make_ready(order.peer);
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_->peers()) ids.push_back(id);
  for (const auto id : ids) lose(id);
  std::size_t attempts = 0;
  std::size_t wakeups = 0;
  const auto back = now_.monotonic + seconds(3'600);
  while (now_.monotonic < back) {
    for (const auto& order : connect()) {
      lose(order.peer);
      ++attempts;
    }
    ASSERT_FALSE(pool_->exhausted());
    ASSERT_TRUE(pool_->next_deadline());
    elapse(std::max<util::Duration>(*pool_->next_deadline() - now_.monotonic, std::chrono::milliseconds(1)));
    ++wakeups;
  }
  EXPECT_LT(wakeups, 3'600U * 4);  // no busy loop
  EXPECT_GT(attempts, 900U);
  // The network is back.
  const auto since = now_.monotonic;
  auto orders = connect();
  while (orders.empty()) {
    elapse(*pool_->next_deadline() - now_.monotonic);
    orders = connect();
  }
  EXPECT_LE(now_.monotonic - since, seconds(5));
  std::size_t blamed = 0;
  for (const auto& [address, entry] : book_.entries()) blamed += entry.failures;
  EXPECT_EQ(blamed, 0U);
}

TEST_F(BookDialerTest, ARunThatIsNotToStayGivesUpWhenNobodyCanBeReached) {
  fill(2'000);
  start(8);
  std::size_t attempts = 0;
  const auto began = now_.monotonic;
  while (!pool_->exhausted()) {
    ASSERT_LT(attempts, 1'000U);
    for (const auto& order : connect()) {
      lose(order.peer);
      ++attempts;
    }
    elapse(seconds(1));
  }
  EXPECT_GE(attempts, 200U);
  EXPECT_LE(now_.monotonic - began, std::chrono::minutes(3));
}

TEST_F(BookDialerTest, R5_APeerTellsAThousandAddressesAndThenOneInTenSeconds) {
  AddressAllowance allowance;
  EXPECT_EQ(allowance.take(700, now_.monotonic), 700U);
  EXPECT_EQ(allowance.take(700, now_.monotonic), 300U);
  EXPECT_EQ(allowance.take(700, now_.monotonic), 0U);
  elapse(seconds(95));
  EXPECT_EQ(allowance.take(700, now_.monotonic), 9U);
  elapse(seconds(5));
  EXPECT_EQ(allowance.take(700, now_.monotonic), 1U);
  elapse(std::chrono::hours(1'000));
  EXPECT_EQ(allowance.take(5'000, now_.monotonic), 1'000U);
}

TEST_F(BookDialerTest, R5_AMillionAddressesOfOnePeerFillAQuarterOfTheBookAtMost) {
  fill(20);
  start(1);
  const auto order = connect().at(0);
  make_ready(order.peer);
  std::uint32_t number = 100;
  for (int message = 0; message < 1'000; ++message) {
    p2p::AddrV2 flood;
    for (int i = 0; i < 1'000; ++i) {
      flood.addresses.push_back({static_cast<std::uint32_t>(now_.wall), kGood, p2p::AddressNetwork::Ipv4,
                                 util::to_bytes(nth(number++ % 20'000).view()), 8333});
    }
    pool_->on_addresses(*pool_->find(order.peer), flood, now_, rng_);
    elapse(seconds(1));
  }
  EXPECT_LE(book_.size(), 20U + p2p::AddressBook::kMaxPerSource);
  EXPECT_GT(book_.size(), 500U);
}

TEST_F(BookDialerTest, R5_OldAddressesAreNotTaken) {
  fill(20);
  start(1);
  const auto order = connect().at(0);
  make_ready(order.peer);
  p2p::TimedAddress old;
  old.time = static_cast<std::uint32_t>(now_.wall - 31 * 86'400);
  old.address.services = kGood;
  old.address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 88, 1, 1, 1};
  old.address.port = 8333;
  pool_->on_addresses(*pool_->find(order.peer), p2p::Addr{{old}}, now_, rng_);
  EXPECT_EQ(book_.size(), 20U);
  old.time = static_cast<std::uint32_t>(now_.wall - 86'400);
  pool_->on_addresses(*pool_->find(order.peer), p2p::Addr{{old}}, now_, rng_);
  EXPECT_EQ(book_.size(), 21U);
}

TEST_F(BookDialerTest, ManyPeersOverALongTimeAreNotAllRemembered) {
  fill(2'000);
  start(1, true);
  for (int i = 0; i < 500; ++i) {
    for (const auto& order : connect()) {
      make_ready(order.peer);
      pool_->note_user_agent(*pool_->find(order.peer));
      lose(order.peer, DisconnectReason::Stalled);
    }
    elapse(seconds(5));
  }
  EXPECT_LE(pool_->summaries().size(), PeerPool::kMaxRemembered);
}

TEST_F(BookDialerTest, MakeshiftPeersGetHalfOfThePlacesUntilNobodyBetterIsFound) {
  fill(200);
  start(4, true);
  std::size_t kept = 0;
  std::size_t turned_away = 0;
  for (int i = 0; i < 100 && kept < 4; ++i) {
    for (const auto& order : connect()) {
      make_ready(order.peer);
      if (pool_->keep_makeshift(order.peer)) {
        ++kept;
      } else {
        ++turned_away;
        lose(order.peer, DisconnectReason::NoBloomFilters);
      }
      EXPECT_TRUE(kept <= 2 || turned_away >= PeerPool::kMostTurnedAway);
    }
    now_.monotonic += seconds(1);
  }
  EXPECT_EQ(kept, 4U);
  EXPECT_GE(turned_away, PeerPool::kMostTurnedAway);
  EXPECT_TRUE(connect().empty()) << "all places are taken";
}

}  // namespace
}  // namespace spv::sync
