// AddressBook: the nodes that we know of, bounded and spread, so that whoever floods us with addresses owns neither
// the table nor our choice (security.md E5, R5). Pure: time and randomness are arguments.
//
// What resists what: the table is bounded; few addresses share a group (the /16 of IPv4); no single source fills more
// than a quarter; choices go round over kinds of origin (known good, seeds, gossip), never twice into one group while
// there is another; only nodes that may serve BIP37 are kept; what cannot be a node of the public network is refused
// unless the user named it (N12).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "p2p/net_address.h"
#include "util/expected.h"
#include "util/rng.h"
#include "util/time.h"

namespace spv::p2p {

/// How an address came into the book.
enum class Origin : std::uint8_t { Gossip = 0, Seed = 1, User = 2 };
std::string_view to_string(Origin origin);

struct BookEntry {
  NetAddress address;
  std::string group;           // group_of(address)
  std::uint64_t services = 0;  // as told; zero: nobody said
  Origin origin = Origin::Gossip;
  std::string source;  // the seed's name, or the group of the peer that told it
  util::UnixTime added = 0;
  util::UnixTime last_try = 0;      // zero: never
  util::UnixTime last_success = 0;  // the last whole handshake with a node that we can use; zero: never
  util::UnixTime next_try = 0;      // not before then
  std::uint32_t failures = 0;       // in a row
  util::UnixTime banned_until = 0;
  std::string note;  // what happened last: why it is good or bad

  [[nodiscard]] bool tried() const { return last_success != 0; }
  [[nodiscard]] bool banned(util::UnixTime now) const { return now < banned_until; }
  /// What is doubtful about it, where note_doubt() said so last.
  [[nodiscard]] std::optional<std::string_view> doubt() const;
  friend bool operator==(const BookEntry&, const BookEntry&) = default;
};

/// Why bytes are no book.
enum class BookError { Damaged, NewerFormat, OtherNetwork };
std::string_view to_string(BookError error);

class AddressBook {
 public:
  static constexpr std::size_t kMaxEntries = 2'500;
  static constexpr std::size_t kMaxPerGroup = 10;
  static constexpr std::size_t kMaxPerSource = kMaxEntries / 4;
  static constexpr util::UnixTime kBanSeconds = 86'400;
  /// A node that cannot serve us may be set up otherwise later.
  static constexpr util::UnixTime kUnfitSeconds = 604'800;
  static constexpr util::UnixTime kFirstRetrySeconds = 600;
  static constexpr util::UnixTime kLongestRetrySeconds = 86'400;
  /// The pause after a failure that says nothing about the node, since nobody could be reached.
  static constexpr util::UnixTime kOfflineRetrySeconds = 3;

  /// What the caller can dial.
  struct Reach {
    bool onion = false;
  };

  // --- filling ------------------------------------------------------------------------------------------------------
  /// Takes an address if there is room for it and a use; true if it is in the book afterwards.
  bool add(const NetAddress& address, std::uint64_t services, Origin origin, std::string_view source,
           util::UnixTime now, util::Rng& rng);

  // --- choosing -----------------------------------------------------------------------------------------------------
  /// An address to dial: not banned, due, none of `in_use`, in a group of none of them while there is one.
  [[nodiscard]] std::optional<NetAddress> pick(const std::set<NetAddress>& in_use, Reach reach, util::UnixTime now,
                                               util::Rng& rng);
  /// How many could be dialled now.
  [[nodiscard]] std::size_t due(Reach reach, util::UnixTime now) const;
  /// How many are banned.
  [[nodiscard]] std::size_t banned(util::UnixTime now) const;
  /// When the next one may be dialled; nullopt if none ever may.
  [[nodiscard]] std::optional<util::UnixTime> next_due(Reach reach, util::UnixTime now) const;

  // --- what came of it ----------------------------------------------------------------------------------------------
  void note_attempt(const NetAddress& address, util::UnixTime now);
  void note_success(const NetAddress& address, std::uint64_t services, util::UnixTime now);
  /// `counts`: the failure says something about this node. The pause doubles with each in a row, with jitter.
  void note_failure(const NetAddress& address, std::string_view why, bool counts, util::UnixTime now, util::Rng& rng);
  /// It answers, but cannot serve us: not tried again for a week.
  void note_unfit(const NetAddress& address, std::string_view why, util::UnixTime now);
  /// It serves us, but what it says of the chain is doubtful; empty: no longer.
  void note_doubt(const NetAddress& address, std::string_view why);
  /// Bans an address, whether it is in the book or not; a full book loses its least useful one for it.
  void ban(const NetAddress& address, std::string_view why, util::UnixTime until, util::UnixTime now);
  /// False if it was not banned.
  bool unban(const NetAddress& address, util::UnixTime now);

  // --- looking and keeping ------------------------------------------------------------------------------------------
  [[nodiscard]] const std::map<NetAddress, BookEntry>& entries() const { return entries_; }
  [[nodiscard]] const BookEntry* find(const NetAddress& address) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// A checksummed form, and back; more than kMaxEntries are damage. `magic` ties it to a network.
  [[nodiscard]] util::Bytes serialize(const std::array<std::uint8_t, 4>& magic) const;
  static util::Expected<AddressBook, BookError> parse(util::ByteView bytes, const std::array<std::uint8_t, 4>& magic);

  friend bool operator==(const AddressBook& a, const AddressBook& b) { return a.entries_ == b.entries_; }

 private:
  using Members = std::map<std::string, std::set<NetAddress>>;

  BookEntry& insert(BookEntry entry);
  void erase(const NetAddress& address);
  BookEntry* find_mutable(const NetAddress& address);
  bool make_room(const BookEntry& entry, util::UnixTime now, util::Rng& rng);
  bool evict_failing(const std::set<NetAddress>& among, util::UnixTime now);
  void note_fault(BookEntry& entry, std::string_view why);
  bool evict_from_largest_source(std::size_t newcomers, util::UnixTime now, util::Rng& rng);
  void evict_least_useful(util::UnixTime now);
  static bool can_dial(const BookEntry& entry, Reach reach, util::UnixTime now);
  [[nodiscard]] std::vector<const BookEntry*> eligible(const std::set<NetAddress>& in_use, bool new_groups_only,
                                                       Reach reach, util::UnixTime now) const;

  std::map<NetAddress, BookEntry> entries_;
  Members by_group_;
  Members by_source_;
  std::set<NetAddress> failing_;  // never good yet, and failed at least once: the first to make room
  unsigned turn_ = 0;             // whose turn it is among the kinds of origin
};

}  // namespace spv::p2p
