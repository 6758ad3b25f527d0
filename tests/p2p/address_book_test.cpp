#include "p2p/address_book.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "p2p/message.h"
#include "util/codec.h"
#include "util/hash.h"

namespace spv::p2p {
namespace {

constexpr std::uint64_t kGood = services::kNetwork | services::kBloom;
constexpr util::UnixTime kNow = 1'800'000'000;
constexpr std::array<std::uint8_t, 4> kMagic = {1, 2, 3, 4};

NetAddress ip(std::string_view host) { return *parse_net_address(host, 8333); }

/// A public address: number `host` of the /16 number `group`.
NetAddress nth(std::uint32_t group, std::uint32_t host) {
  NetAddress address;
  address.bytes[0] = static_cast<std::uint8_t>(11 + group / 250 % 80);
  address.bytes[1] = static_cast<std::uint8_t>(group % 250);
  address.bytes[2] = static_cast<std::uint8_t>(host >> 8U);
  address.bytes[3] = static_cast<std::uint8_t>(host & 0xFFU);
  address.port = 8333;
  return address;
}

class AddressBookTest : public testing::Test {
 protected:
  bool gossip(const NetAddress& address, std::string_view teller = "9.9.0.0/16", std::uint64_t services = kGood) {
    return book_.add(address, services, Origin::Gossip, teller, now_, rng_);
  }
  bool seed(const NetAddress& address, std::string_view name = "seed.example") {
    return book_.add(address, kGood, Origin::Seed, name, now_, rng_);
  }
  std::optional<NetAddress> pick(const std::set<NetAddress>& in_use = {}) {
    return book_.pick(in_use, {.onion = true}, now_, rng_);
  }

  AddressBook book_;
  util::Rng rng_{7};
  util::UnixTime now_ = kNow;
};

TEST_F(AddressBookTest, R5_NoMoreThanTenOfASlash16) {
  for (std::uint32_t host = 0; host < 1'000; ++host) gossip(nth(1, host));
  EXPECT_EQ(book_.size(), AddressBook::kMaxPerGroup);
}

TEST_F(AddressBookTest, R5_OneSourceFillsAQuarterOfTheTableAtMost) {
  for (std::uint32_t i = 0; i < 20'000; ++i) gossip(nth(i % 5'000, i / 5'000));
  EXPECT_EQ(book_.size(), AddressBook::kMaxEntries / 4);
}

TEST_F(AddressBookTest, R5_AddressesOfManySourcesStayBounded) {
  for (std::uint32_t i = 0; i < 30'000; ++i) gossip(nth(i % 9'973, i / 9'973), "source " + std::to_string(i % 100));
  EXPECT_LE(book_.size(), AddressBook::kMaxEntries);
  EXPECT_LT(book_.serialize(kMagic).size(), 500'000U);
}

TEST_F(AddressBookTest, AFullTableIsSharedEvenlyWhoeverCameFirst) {
  for (std::uint32_t source = 0; source < 4; ++source) {
    for (std::uint32_t i = 0; i < 1'000; ++i) gossip(nth(source * 1'000 + i, 1), "source " + std::to_string(source));
  }
  ASSERT_EQ(book_.size(), AddressBook::kMaxEntries);
  std::size_t taken = 0;
  for (std::uint32_t i = 0; i < 300; ++i) taken += gossip(nth(8'000 + i, 1), "late") ? 1U : 0U;
  EXPECT_EQ(taken, 300U);
  EXPECT_EQ(book_.size(), AddressBook::kMaxEntries);
}

TEST_F(AddressBookTest, N12_PrivateAddressesComeInByTheUserAlone) {
  for (const char* host : {"127.0.0.1", "10.0.0.1", "192.168.0.1", "224.0.0.1", "::1", "fe80::1", "fc00::1"}) {
    EXPECT_FALSE(gossip(ip(host))) << host;
    EXPECT_FALSE(seed(ip(host))) << host;
    EXPECT_TRUE(book_.add(ip(host), 0, Origin::User, "", now_, rng_)) << host;
  }
}

TEST_F(AddressBookTest, E9_WhoDoesNotClaimToServeFiltersIsNotKept) {
  EXPECT_FALSE(gossip(ip("1.1.1.1"), "9.9.0.0/16", services::kNetwork | services::kWitness));
  EXPECT_FALSE(gossip(ip("1.1.1.1"), "9.9.0.0/16", 0));
  EXPECT_TRUE(book_.add(ip("1.1.1.1"), 0, Origin::Seed, "seed", now_, rng_));  // a seed without bits does not say
}

TEST_F(AddressBookTest, ChoicesGoIntoNewGroupsWhileThereAreAny) {
  for (std::uint32_t group = 0; group < 6; ++group) {
    for (std::uint32_t host = 0; host < 10; ++host) gossip(nth(group, host));
  }
  std::set<NetAddress> in_use;
  std::set<std::string> groups;
  for (int i = 0; i < 6; ++i) {
    const auto picked = pick(in_use);
    ASSERT_TRUE(picked);
    in_use.insert(*picked);
    EXPECT_TRUE(groups.insert(group_of(*picked)).second);
  }
  EXPECT_TRUE(pick(in_use));  // a seventh must share one
}

TEST_F(AddressBookTest, E5_AnAttackerWithNineTenthsOfTheAnswersDoesNotSurroundUs) {
  const char* wanted = std::getenv("SPV_LONG_TESTS");
  const int runs = wanted != nullptr && std::string_view(wanted) == "1" ? 10'000 : 1'000;
  constexpr int kPeers = 8;
  // Three seeds with 25 nodes each, of which the attacker runs one; ten peers that tell 20 addresses each, of which
  // nine are his. He has as many /16s as he likes.
  const auto is_honest = [](const NetAddress& address) { return address.port == 8333; };
  std::uint32_t group = 0;
  const auto fresh = [&](bool honest) {
    auto address = nth(group++ % 15'000, 1);
    if (!honest) address.port = 666;
    return address;
  };
  AddressBook filled;
  for (int s = 0; s < 3; ++s) {
    for (int i = 0; i < 25; ++i) {
      filled.add(fresh(s != 0), kGood, Origin::Seed, "seed " + std::to_string(s), kNow, rng_);
    }
  }
  for (int p = 0; p < 10; ++p) {
    for (int i = 0; i < 20; ++i) {
      filled.add(fresh(p == 0), kGood, Origin::Gossip, "peer " + std::to_string(p), kNow, rng_);
    }
  }
  int met_honest = 0;
  std::size_t least_groups = kPeers;
  for (int run = 0; run < runs; ++run) {
    std::set<NetAddress> in_use;
    std::set<std::string> groups;
    bool honest = false;
    for (int i = 0; i < kPeers; ++i) {
      const auto picked = filled.pick(in_use, {}, kNow, rng_);
      ASSERT_TRUE(picked);
      in_use.insert(*picked);
      groups.insert(group_of(*picked));
      honest = honest || is_honest(*picked);
    }
    met_honest += honest ? 1 : 0;
    least_groups = std::min(least_groups, groups.size());
  }
  RecordProperty("met_honest", met_honest);
  EXPECT_GE(met_honest, runs * 99 / 100);
  EXPECT_GE(least_groups, 4U);
}

TEST_F(AddressBookTest, FailuresDoubleThePauseWithJitter) {
  gossip(nth(1, 1));
  util::UnixTime longest = 0;
  std::set<util::UnixTime> first_pauses;
  for (int i = 0; i < 12; ++i) {
    book_.note_failure(nth(1, 1), "refused", true, now_, rng_);
    const auto pause = book_.find(nth(1, 1))->next_try - now_;
    const auto base = std::min<util::UnixTime>(AddressBook::kFirstRetrySeconds << i, AddressBook::kLongestRetrySeconds);
    EXPECT_GE(pause, base / 2);
    EXPECT_LE(pause, base * 3 / 2);
    longest = std::max(longest, pause);
    EXPECT_FALSE(pick());
    now_ += pause;
    EXPECT_TRUE(pick());
  }
  EXPECT_LE(longest, AddressBook::kLongestRetrySeconds * 3 / 2);
  for (std::uint32_t i = 2; i < 12; ++i) {
    gossip(nth(i, 1));
    book_.note_failure(nth(i, 1), "refused", true, now_, rng_);
    first_pauses.insert(book_.find(nth(i, 1))->next_try - now_);
  }
  EXPECT_GT(first_pauses.size(), 5U);
}

TEST_F(AddressBookTest, E3_AFailureWhileNobodyCanBeReachedCostsSecondsOnly) {
  gossip(nth(1, 1));
  for (int i = 0; i < 50; ++i) book_.note_failure(nth(1, 1), "network unreachable", false, now_, rng_);
  EXPECT_EQ(book_.find(nth(1, 1))->failures, 0U);
  EXPECT_LE(book_.find(nth(1, 1))->next_try, now_ + 5);
}

TEST_F(AddressBookTest, ABannedPeerIsNotChosenUntilTheBanEnds) {
  gossip(nth(1, 1));
  book_.ban(nth(1, 1), "sent a merkle proof that does not hold", now_ + AddressBook::kBanSeconds, now_);
  EXPECT_FALSE(pick());
  EXPECT_EQ(book_.find(nth(1, 1))->note, "sent a merkle proof that does not hold");
  now_ += AddressBook::kBanSeconds - 1;
  EXPECT_FALSE(pick());
  now_ += 1;
  EXPECT_TRUE(pick());
  book_.ban(nth(1, 1), "again", now_ + 100, now_);
  EXPECT_TRUE(book_.unban(nth(1, 1), now_));
  EXPECT_FALSE(book_.unban(nth(1, 1), now_));
  EXPECT_TRUE(pick());
}

TEST_F(AddressBookTest, E9_APeerThatCannotServeUsIsLeftAloneForAWeek) {
  gossip(nth(1, 1));
  book_.note_unfit(nth(1, 1), "does not offer bloom filters (NODE_BLOOM)", now_);
  now_ += AddressBook::kUnfitSeconds - 1;
  EXPECT_FALSE(pick());
  now_ += 1;
  EXPECT_TRUE(pick());
}

TEST_F(AddressBookTest, GoodOnesAndUsersOnesAreNotPushedOut) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    gossip(nth(1, i));
    book_.note_success(nth(1, i), kGood, now_);
    book_.note_failure(nth(1, i), "gone", true, now_, rng_);
  }
  for (std::uint32_t i = 0; i < 5; ++i) book_.add(nth(1, 100 + i), 0, Origin::User, "", now_, rng_);
  for (std::uint32_t i = 200; i < 300; ++i) EXPECT_FALSE(gossip(nth(1, i)));
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_TRUE(book_.find(nth(1, i)) != nullptr && book_.find(nth(1, 100 + i)) != nullptr);
}

TEST_F(AddressBookTest, OneThatFailedMakesRoomInItsGroup) {
  for (std::uint32_t i = 0; i < 10; ++i) gossip(nth(1, i));
  book_.note_failure(nth(1, 4), "timed out", true, now_, rng_);
  EXPECT_TRUE(gossip(nth(1, 50)));
  EXPECT_EQ(book_.find(nth(1, 4)), nullptr);
}

TEST_F(AddressBookTest, OnionAddressesNeedSomebodyWhoCanReachThem) {
  gossip(ip("2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion"));
  EXPECT_FALSE(book_.pick({}, {.onion = false}, now_, rng_));
  EXPECT_TRUE(book_.pick({}, {.onion = true}, now_, rng_));
}

TEST_F(AddressBookTest, ComesBackFromItsFileFormAsItWas) {
  for (std::uint32_t i = 0; i < 100; ++i) gossip(nth(i, 1), "teller " + std::to_string(i % 3));
  seed(ip("2600::7"));
  gossip(ip("2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion"));
  book_.note_success(nth(3, 1), kGood, now_);
  book_.note_failure(nth(4, 1), "bad\x1b[2J words", true, now_, rng_);
  book_.ban(nth(5, 1), "lied", now_ + 10, now_);
  const auto parsed = AddressBook::parse(book_.serialize(kMagic), kMagic);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, book_);
  EXPECT_EQ(parsed->find(nth(4, 1))->note, "bad\\x1b[2J words");
}

TEST_F(AddressBookTest, TheSmallestEntryComesBackToo) {
  book_.add(ip("127.0.0.1"), 0, Origin::User, "", now_, rng_);
  const auto parsed = AddressBook::parse(book_.serialize(kMagic), kMagic);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, book_);
}

TEST_F(AddressBookTest, R5_BansStayBoundedTooAndPushOutTheLeastUseful) {
  gossip(nth(1, 1));
  seed(nth(2, 1));
  book_.note_success(nth(2, 1), kGood, now_);
  for (std::uint32_t i = 0; i < AddressBook::kMaxEntries + 10; ++i)
    book_.ban(nth(100 + i, 1), "lied", now_ + 10 + i, now_);
  EXPECT_EQ(book_.size(), AddressBook::kMaxEntries);
  EXPECT_EQ(book_.find(nth(1, 1)), nullptr);
  EXPECT_NE(book_.find(nth(2, 1)), nullptr);
  EXPECT_EQ(book_.find(nth(100, 1)), nullptr) << "whose ban ends first";
  EXPECT_NE(book_.find(nth(100 + AddressBook::kMaxEntries + 9, 1)), nullptr);
  const auto parsed = AddressBook::parse(book_.serialize(kMagic), kMagic);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, book_);
}

/// The file of a book with one entry, made into one with so many that differ in their last two bytes of address.
util::Bytes repeated(util::ByteView file, std::size_t count) {
  constexpr std::size_t kHead = 4 + 1 + 4;  // magic, format, network; then the count and the entries
  constexpr std::size_t kNetwork = 1 + 2;   // an entry's kind of network, and the /16
  const auto entry = file.subspan(kHead + 1, file.size() - kHead - 1 - util::Hash256::kSize);
  util::Writer out;
  out.bytes(file.first(kHead)).compact_size(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.bytes(entry.first(kNetwork)).integer(static_cast<std::uint16_t>(i)).bytes(entry.subspan(kNetwork + 2));
  }
  const auto checksum = util::sha256(out.data());
  out.hash(checksum);
  return out.take();
}

TEST_F(AddressBookTest, R5_AFileOfMoreThanABookHoldsIsRefusedThoughItsChecksumIsRight) {
  gossip(nth(1, 1));
  const auto one = book_.serialize(kMagic);
  const auto full = AddressBook::parse(repeated(one, AddressBook::kMaxEntries), kMagic);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->size(), AddressBook::kMaxEntries);
  EXPECT_EQ(AddressBook::parse(repeated(one, AddressBook::kMaxEntries + 1), kMagic).error(), BookError::Damaged);
}

/// With the checksum made right again.
util::Bytes sealed(util::ByteView file) {
  const auto body = file.first(file.size() - util::Hash256::kSize);
  util::Writer out;
  out.bytes(body).hash(util::sha256(body));
  return out.take();
}

TEST_F(AddressBookTest, AFileThatCannotBeUsedIsRefusedWithItsReason) {
  gossip(nth(1, 1));
  constexpr std::size_t kFormat = 4;
  constexpr std::size_t kKind = kFormat + 1 + 4 + 1;      // of the first entry's network
  constexpr std::size_t kOrigin = kKind + 1 + 4 + 2 + 8;  // where it comes from
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    auto file = book_.serialize(kMagic);
    file.at(at) = value;
    return AddressBook::parse(sealed(file), kMagic);
  };
  ASSERT_TRUE(changed(kOrigin, static_cast<std::uint8_t>(Origin::User)));
  EXPECT_EQ(changed(kOrigin, 3).error(), BookError::Damaged);
  EXPECT_EQ(changed(kKind, 9).error(), BookError::Damaged);
  EXPECT_EQ(changed(kFormat, 0xFF).error(), BookError::NewerFormat);
  EXPECT_EQ(changed(0, 'x').error(), BookError::Damaged);
  EXPECT_EQ(to_string(BookError::Damaged), "damaged");
  EXPECT_EQ(to_string(BookError::NewerFormat), "made by a newer version");
  EXPECT_EQ(to_string(BookError::OtherNetwork), "of another network");
}

TEST_F(AddressBookTest, SaysWhereAnAddressComesFrom) {
  EXPECT_EQ(to_string(Origin::Gossip), "peer");
  EXPECT_EQ(to_string(Origin::Seed), "seed");
  EXPECT_EQ(to_string(Origin::User), "user");
}

TEST_F(AddressBookTest, ADamagedFileIsRefusedWhereverTheDamageIs) {
  for (std::uint32_t i = 0; i < 5; ++i) gossip(nth(i, 1));
  const auto bytes = book_.serialize(kMagic);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(AddressBook::parse(damaged, kMagic)) << i;
    EXPECT_FALSE(AddressBook::parse(util::ByteView(bytes).first(i), kMagic)) << i;
  }
  EXPECT_EQ(AddressBook::parse(bytes, {9, 9, 9, 9}).error(), BookError::OtherNetwork);
}

}  // namespace
}  // namespace spv::p2p
