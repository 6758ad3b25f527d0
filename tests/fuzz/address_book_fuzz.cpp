// The address book: bytes become a book that writes the same bytes, or none; and whatever peers tell, it stays within
// its limits and picks only what may be dialled (E5, R5, N12).
#include "p2p/address_book.h"
#include "tests/fuzz/fuzz.h"
#include "util/hash.h"

namespace {

using namespace spv;
constexpr std::array<std::uint8_t, 4> kMagic{0xFA, 0xBF, 0xB5, 0xDA};
constexpr util::UnixTime kStart = 1'700'000'000;

p2p::NetAddress address_from(fuzz::Input& input) {
  p2p::NetAddress address;
  address.bytes = {static_cast<std::uint8_t>(1 + input.byte() % 3), static_cast<std::uint8_t>(input.byte() % 2), 0,
                   input.byte()};
  if (input.byte() % 8 == 0) address.bytes[0] = 10;  // a private one
  address.port = static_cast<std::uint16_t>(8'333 + input.byte() % 2);
  return address;
}

void check(const p2p::AddressBook& book) {
  util::ensure(book.size() <= p2p::AddressBook::kMaxEntries, "more entries than the book may have");
  std::map<std::string, std::size_t> groups;
  for (const auto& [address, entry] : book.entries()) {
    util::ensure(entry.address == address && entry.group == p2p::group_of(address), "an entry in a wrong place");
    if (entry.origin != p2p::Origin::User && !entry.tried() && entry.banned_until == 0) ++groups[entry.group];
  }
  for (const auto& [group, count] : groups)
    util::ensure(count <= p2p::AddressBook::kMaxPerGroup, "one owner has too many");
}

void live(fuzz::Input input) {
  p2p::AddressBook book;
  util::Rng rng(std::uint64_t{1});
  util::UnixTime now = kStart;
  for (int steps = 0; !input.empty() && steps < 400; ++steps) {
    const std::uint8_t kind = input.byte() % 10;
    if (kind == 0) {
      now += input.word() * 60;
      continue;
    }
    const auto address = address_from(input);
    switch (kind) {
      case 1:
        book.note_attempt(address, now);
        break;
      case 2:
        book.note_success(address, 5, now);
        break;
      case 3:
        book.note_failure(address, "why", input.chance(), now, rng);
        break;
      case 4:
        book.note_unfit(address, "why", now);
        break;
      case 5:
        book.ban(address, "why", now + input.word() * 60, now);
        break;
      case 6: {
        const auto due = book.due({}, now);
        const auto picked = book.pick({address}, {}, now, rng);
        util::ensure(!picked || due > 0, "something is picked although nothing is due");
        if (!picked) break;
        const auto* entry = book.find(*picked);
        util::ensure(entry != nullptr && !entry->banned(now) && entry->next_try <= now,
                     "what may not be dialled is picked");
        util::ensure(*picked != address, "what is in use is picked");
        break;
      }
      default: {
        const auto origin = static_cast<p2p::Origin>(input.byte() % 3);
        const bool was_there = book.find(address) != nullptr;
        const bool added = book.add(address, 5, origin, std::string(1, static_cast<char>('a' + kind)), now, rng);
        util::ensure(added == (book.find(address) != nullptr), "added or not");
        util::ensure(!added || was_there || origin == p2p::Origin::User || p2p::is_public(address),
                     "a private address");
        break;
      }
    }
    check(book);
  }
  const auto bytes = book.serialize(kMagic);
  const auto again = p2p::AddressBook::parse(bytes, kMagic);
  util::ensure(again && *again == book, "a book does not come back");
  auto damaged = bytes;
  damaged[input.word() % damaged.size()] ^= 1;
  util::ensure(!p2p::AddressBook::parse(damaged, kMagic), "damage is not noticed");
}

}  // namespace

SPV_FUZZ_TARGET(address_book, input) {
  fuzz::Input rest(input);
  if (rest.chance()) return live(rest);
  // The fuzzer cannot guess a checksum: magic, format and checksum are given.
  util::Writer file;
  file.bytes(util::as_bytes("SPVB")).integer(std::uint8_t{1}).bytes(kMagic).bytes(rest.rest());
  file.hash(util::sha256(file.data()));
  const auto book = p2p::AddressBook::parse(file.data(), kMagic);
  if (book)
    util::ensure(p2p::AddressBook::parse(book->serialize(kMagic), kMagic).has_value(), "a book does not come back");
}
