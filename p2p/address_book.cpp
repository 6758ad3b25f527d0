#include "p2p/address_book.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "p2p/message.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::p2p {
namespace {

constexpr std::array<std::uint8_t, 4> kFileMagic = {'S', 'P', 'V', 'B'};
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kMaxSourceBytes = 80;
constexpr std::size_t kMaxNoteBytes = 120;
constexpr std::string_view kServesNote = "serves filters";
constexpr std::string_view kDoubtMark = "doubtful: ";
constexpr std::size_t kMinEntryBytes = 1 + 4 + 2 + 8 + 1 + 1 + 5 * 8 + 4 + 1;

/// The kinds of origin that choices go round over.
enum class Kind : unsigned { Known = 0, Seed = 1, Gossip = 2 };
constexpr unsigned kKinds = 3;

Kind kind_of(const BookEntry& entry) {
  if (entry.tried() || entry.origin == Origin::User) return Kind::Known;
  return entry.origin == Origin::Seed ? Kind::Seed : Kind::Gossip;
}

// What was never good, what the user did not name, and what need not be remembered as banned.
bool is_expendable(const BookEntry& entry, util::UnixTime now) {
  return !entry.tried() && entry.origin != Origin::User && !entry.banned(now);
}

// One source after the other has the same chance, however many addresses it told.
const BookEntry& choose(const std::vector<const BookEntry*>& entries, util::Rng& rng) {
  std::map<std::string_view, std::vector<const BookEntry*>> by_source;
  for (const auto* entry : entries) by_source[entry->source].push_back(entry);
  auto chosen = by_source.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(rng.below(by_source.size())));
  return *chosen->second[rng.below(chosen->second.size())];
}

util::UnixTime with_jitter(util::UnixTime seconds, util::Rng& rng) {
  const auto spread = static_cast<std::uint64_t>(seconds) + 1;
  return seconds / 2 + static_cast<util::UnixTime>(rng.below(spread));
}

std::string shortened(std::string_view text, std::size_t limit) {
  auto out = printable(text.substr(0, limit));
  out.resize(std::min(out.size(), limit));
  return out;
}

const std::set<NetAddress>& members(const std::map<std::string, std::set<NetAddress>>& all, const std::string& name) {
  static const std::set<NetAddress> kNone;
  const auto found = all.find(name);
  return found == all.end() ? kNone : found->second;
}

void remove(std::map<std::string, std::set<NetAddress>>& all, const std::string& name, const NetAddress& address) {
  const auto found = all.find(name);
  found->second.erase(address);
  if (found->second.empty()) all.erase(found);
}

void encode(util::Writer& out, const BookEntry& entry) {
  out.integer(static_cast<std::uint8_t>(entry.address.network)).bytes(entry.address.view());
  out.integer(entry.address.port).integer(entry.services).integer(static_cast<std::uint8_t>(entry.origin));
  out.var_string(entry.source).integer(entry.added).integer(entry.last_try).integer(entry.last_success);
  out.integer(entry.next_try).integer(entry.failures).integer(entry.banned_until).var_string(entry.note);
}

BookEntry decode_entry(util::Reader& in) {
  BookEntry entry;
  AddressV2 address;
  address.network = static_cast<AddressNetwork>(in.integer<std::uint8_t>());
  address.address = util::to_bytes(in.view(address.network == AddressNetwork::Ipv4   ? 4
                                           : address.network == AddressNetwork::Ipv6 ? 16
                                                                                     : 32));
  address.port = in.integer<std::uint16_t>();
  const auto net = to_net_address(address);
  entry.services = in.integer<std::uint64_t>();
  const auto origin = in.integer<std::uint8_t>();
  if (!net || origin > static_cast<std::uint8_t>(Origin::User)) {
    in.fail();
    return entry;
  }
  entry.address = *net;
  entry.origin = static_cast<Origin>(origin);
  entry.source = in.var_string(kMaxSourceBytes);
  for (auto* time : {&entry.added, &entry.last_try, &entry.last_success, &entry.next_try}) {
    *time = in.integer<util::UnixTime>();
  }
  entry.failures = in.integer<std::uint32_t>();
  entry.banned_until = in.integer<util::UnixTime>();
  entry.note = in.var_string(kMaxNoteBytes);
  return entry;
}

}  // namespace

std::optional<std::string_view> BookEntry::doubt() const {
  if (!note.starts_with(kDoubtMark)) return std::nullopt;
  return std::string_view(note).substr(kDoubtMark.size());
}

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::Gossip:
      return "peer";
    case Origin::Seed:
      return "seed";
    case Origin::User:
      return "user";
  }
  return "unknown";
}

std::string_view to_string(BookError error) {
  switch (error) {
    case BookError::Damaged:
      return "damaged";
    case BookError::NewerFormat:
      return "made by a newer version";
    case BookError::OtherNetwork:
      return "of another network";
  }
  return "unknown";
}

// --- filling ---------------------------------------------------------------------------------------------------------

bool AddressBook::add(const NetAddress& address, std::uint64_t services, Origin origin, std::string_view source,
                      util::UnixTime now, util::Rng& rng) {
  if (BookEntry* known = find_mutable(address)) {
    if (services != 0 && !known->tried()) known->services = services;
    if (origin == Origin::User) known->origin = origin;
    return true;
  }
  const bool can_serve =
      services == 0 ? origin != Origin::Gossip : (services & (services::kBloom | services::kCompactFilters)) != 0;
  if (origin != Origin::User && (!is_public(address) || !can_serve)) return false;
  BookEntry entry;
  entry.address = address;
  entry.services = services;
  entry.origin = origin;
  entry.source = shortened(source, kMaxSourceBytes);
  entry.added = now;
  if (!make_room(entry, now, rng)) return false;
  insert(std::move(entry));
  return true;
}

bool AddressBook::make_room(const BookEntry& entry, util::UnixTime now, util::Rng& rng) {
  const auto& group = members(by_group_, group_of(entry.address));
  const bool limited = entry.origin != Origin::User;
  if (limited && group.size() >= kMaxPerGroup && !evict_failing(group, now)) return false;
  const auto& source = members(by_source_, entry.source);
  if (limited && source.size() >= kMaxPerSource && !evict_failing(source, now)) return false;
  return entries_.size() < kMaxEntries || evict_from_largest_source(source.size(), now, rng);
}

bool AddressBook::evict_failing(const std::set<NetAddress>& among, util::UnixTime now) {
  const auto found = std::find_if(failing_.begin(), failing_.end(), [&](const NetAddress& address) {
    return among.contains(address) && is_expendable(entries_.at(address), now);
  });
  if (found == failing_.end()) return false;
  erase(NetAddress(*found));
  return true;
}

// So that a full table is shared evenly, whoever came first.
bool AddressBook::evict_from_largest_source(std::size_t newcomers, util::UnixTime now, util::Rng& rng) {
  const auto largest = std::max_element(by_source_.begin(), by_source_.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (evict_failing(largest->second, now)) return true;
  if (largest->second.size() <= newcomers) return false;
  std::vector<NetAddress> untried;
  for (const auto& address : largest->second) {
    if (is_expendable(entries_.at(address), now)) untried.push_back(address);
  }
  if (untried.empty()) return false;
  erase(untried[rng.below(untried.size())]);
  return true;
}

void AddressBook::evict_least_useful(util::UnixTime now) {
  const auto worth = [now](const BookEntry& entry) {
    return std::tuple(!is_expendable(entry, now), entry.last_success, entry.banned_until);
  };
  const auto least = std::min_element(entries_.begin(), entries_.end(),
                                      [&](const auto& a, const auto& b) { return worth(a.second) < worth(b.second); });
  erase(NetAddress(least->first));
}

BookEntry& AddressBook::insert(BookEntry entry) {
  entry.group = group_of(entry.address);
  by_group_[entry.group].insert(entry.address);
  by_source_[entry.source].insert(entry.address);
  if (!entry.tried() && entry.failures > 0) failing_.insert(entry.address);
  const NetAddress address = entry.address;
  return entries_[address] = std::move(entry);
}

void AddressBook::erase(const NetAddress& address) {
  const auto found = entries_.find(address);
  util::ensure(found != entries_.end(), "an address that is not in the book is erased");
  remove(by_group_, found->second.group, address);
  remove(by_source_, found->second.source, address);
  failing_.erase(address);
  entries_.erase(found);
}

// --- choosing --------------------------------------------------------------------------------------------------------

bool AddressBook::can_dial(const BookEntry& entry, Reach reach, util::UnixTime now) {
  return !entry.banned(now) && (reach.onion || entry.address.network != AddressNetwork::TorV3);
}

std::vector<const BookEntry*> AddressBook::eligible(const std::set<NetAddress>& in_use, bool new_groups_only,
                                                    Reach reach, util::UnixTime now) const {
  std::vector<std::string> groups;
  if (new_groups_only) {
    for (const auto& address : in_use) groups.push_back(group_of(address));
  }
  std::vector<const BookEntry*> out;
  for (const auto& [address, entry] : entries_) {
    if (entry.next_try > now || !can_dial(entry, reach, now) || in_use.contains(address)) continue;
    if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) out.push_back(&entry);
  }
  return out;
}

std::optional<NetAddress> AddressBook::pick(const std::set<NetAddress>& in_use, Reach reach, util::UnixTime now,
                                            util::Rng& rng) {
  auto choices = eligible(in_use, true, reach, now);
  if (choices.empty()) choices = eligible(in_use, false, reach, now);
  std::array<std::vector<const BookEntry*>, kKinds> by_kind;
  for (const auto* entry : choices) by_kind[static_cast<unsigned>(kind_of(*entry))].push_back(entry);
  for (unsigned i = 0; i < kKinds; ++i) {
    const unsigned kind = (turn_ + i) % kKinds;
    if (by_kind[kind].empty()) continue;
    turn_ = (kind + 1) % kKinds;
    return choose(by_kind[kind], rng).address;
  }
  return std::nullopt;
}

std::size_t AddressBook::due(Reach reach, util::UnixTime now) const {
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), [&](const auto& known) {
    return known.second.next_try <= now && can_dial(known.second, reach, now);
  }));
}

std::size_t AddressBook::banned(util::UnixTime now) const {
  const auto is_banned = [now](const auto& known) { return known.second.banned(now); };
  return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_banned));
}

std::optional<util::UnixTime> AddressBook::next_due(Reach reach, util::UnixTime now) const {
  std::optional<util::UnixTime> next;
  for (const auto& [address, entry] : entries_) {
    if (!can_dial(entry, reach, now)) continue;
    const auto at = std::max(entry.next_try, now);
    if (!next || at < *next) next = at;
  }
  return next;
}

// --- what came of it -------------------------------------------------------------------------------------------------

void AddressBook::note_attempt(const NetAddress& address, util::UnixTime now) {
  if (BookEntry* entry = find_mutable(address)) entry->last_try = now;
}

void AddressBook::note_success(const NetAddress& address, std::uint64_t services, util::UnixTime now) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr) return;
  entry->services = services;
  entry->last_success = now;
  failing_.erase(address);
  entry->failures = 0;
  entry->next_try = 0;
  entry->note = kServesNote;
}

void AddressBook::note_failure(const NetAddress& address, std::string_view why, bool counts, util::UnixTime now,
                               util::Rng& rng) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr) return;
  entry->next_try = now + kOfflineRetrySeconds;
  if (!counts) {
    entry->note = shortened(why, kMaxNoteBytes);
    return;
  }
  const auto pause = std::min(kFirstRetrySeconds << std::min(entry->failures, 16U), kLongestRetrySeconds);
  entry->next_try = now + with_jitter(pause, rng);
  note_fault(*entry, why);
}

void AddressBook::note_unfit(const NetAddress& address, std::string_view why, util::UnixTime now) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr) return;
  entry->next_try = now + kUnfitSeconds;
  note_fault(*entry, why);
}

void AddressBook::note_doubt(const NetAddress& address, std::string_view why) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr) return;
  entry->note = why.empty() ? kServesNote : kDoubtMark;
  entry->note = shortened(entry->note.append(why), kMaxNoteBytes);
}

void AddressBook::note_fault(BookEntry& entry, std::string_view why) {
  entry.note = shortened(why, kMaxNoteBytes);
  if (entry.failures < std::numeric_limits<std::uint32_t>::max()) ++entry.failures;
  if (!entry.tried()) failing_.insert(entry.address);
}

void AddressBook::ban(const NetAddress& address, std::string_view why, util::UnixTime until, util::UnixTime now) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr) {
    if (entries_.size() >= kMaxEntries) evict_least_useful(now);
    BookEntry added;
    added.address = address;
    added.origin = Origin::User;
    added.added = now;
    entry = &insert(std::move(added));
  }
  entry->banned_until = until;
  entry->note = shortened(why, kMaxNoteBytes);
}

bool AddressBook::unban(const NetAddress& address, util::UnixTime now) {
  BookEntry* entry = find_mutable(address);
  if (entry == nullptr || !entry->banned(now)) return false;
  entry->banned_until = 0;
  entry->next_try = 0;
  entry->note = "no longer banned";
  return true;
}

// --- looking and keeping ---------------------------------------------------------------------------------------------

const BookEntry* AddressBook::find(const NetAddress& address) const {
  const auto found = entries_.find(address);
  return found == entries_.end() ? nullptr : &found->second;
}

BookEntry* AddressBook::find_mutable(const NetAddress& address) {
  const auto found = entries_.find(address);
  return found == entries_.end() ? nullptr : &found->second;
}

util::Bytes AddressBook::serialize(const std::array<std::uint8_t, 4>& magic) const {
  util::Writer out;
  out.bytes(kFileMagic).integer(kFormat).bytes(magic).compact_size(entries_.size());
  for (const auto& [address, entry] : entries_) encode(out, entry);
  const auto checksum = util::sha256(out.data());
  out.hash(checksum);
  return out.take();
}

util::Expected<AddressBook, BookError> AddressBook::parse(util::ByteView bytes,
                                                          const std::array<std::uint8_t, 4>& magic) {
  constexpr std::size_t kChecksum = util::Hash256::kSize;
  if (bytes.size() < kChecksum) return util::Unexpected{BookError::Damaged};
  const auto body = bytes.first(bytes.size() - kChecksum);
  if (util::sha256(body) != util::Reader(bytes.last(kChecksum)).hash()) return util::Unexpected{BookError::Damaged};
  util::Reader in(body);
  if (in.array<4>() != kFileMagic) return util::Unexpected{BookError::Damaged};
  if (in.integer<std::uint8_t>() != kFormat) return util::Unexpected{BookError::NewerFormat};
  if (in.array<4>() != magic) return util::Unexpected{BookError::OtherNetwork};
  AddressBook book;
  const std::size_t count = in.count(kMinEntryBytes);
  if (count > kMaxEntries) return util::Unexpected{BookError::Damaged};
  for (std::size_t i = 0; i < count && in.ok(); ++i) book.insert(decode_entry(in));
  if (!in.done() || book.size() != count) return util::Unexpected{BookError::Damaged};
  return book;
}

}  // namespace spv::p2p
