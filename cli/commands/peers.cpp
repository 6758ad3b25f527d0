// `spv peers`: the known peers, and what the user changes about them.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/peer_address.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"
#include "p2p/message.h"
#include "report/values.h"
#include "store/address_book_file.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// In one word, and why.
struct Judgement {
  std::string state;
  std::string why;
};

Judgement judge(const p2p::BookEntry& entry, util::UnixTime now) {
  if (entry.banned(now)) return {"banned", entry.note};
  if (const auto doubt = entry.doubt()) return {"doubtful", std::string(*doubt)};
  if (entry.failures > 0) return {"bad", entry.note};
  if (entry.tried()) return {"good", entry.note};
  return {"untried", entry.note.empty() ? "added by " + (entry.source.empty() ? "you" : entry.source) : entry.note};
}

/// Which filters it offers, for all that is known.
std::string filters_of(const p2p::BookEntry& entry) {
  const bool bloom = (entry.services & p2p::services::kBloom) != 0;
  const bool compact = (entry.services & p2p::services::kCompactFilters) != 0;
  if (bloom && compact) return "bloom, compact";
  return bloom ? "bloom" : compact ? "compact" : "-";
}

json::object to_json(const p2p::BookEntry& entry, util::UnixTime now) {
  const auto judgement = judge(entry, now);
  return {{"address", p2p::to_string(entry.address)},
          {"group", p2p::group_of(entry.address)},
          {"state", judgement.state},
          {"why", judgement.why},
          {"services", entry.services},
          {"bloom", (entry.services & p2p::services::kBloom) != 0},
          {"compact_filters", (entry.services & p2p::services::kCompactFilters) != 0},
          {"origin", p2p::to_string(entry.origin)},
          {"source", entry.source},
          {"added", entry.added},
          {"last_try", report::time_or_null(entry.last_try)},
          {"last_success", report::time_or_null(entry.last_success)},
          {"next_try", entry.next_try > now ? json::value(entry.next_try) : nullptr},
          {"failures", entry.failures},
          {"banned_until", entry.banned(now) ? json::value(entry.banned_until) : nullptr}};
}

ExitCode list(const CommonOptions& common, const p2p::AddressBook& book) {
  const auto now = client::read_clock().wall;
  json::array rows;
  Table table({{"address", false, Narrow::Shorten, 22},  // an IPv4 address is never shortened
               {"state"},
               {"from", false, Narrow::Drop},
               {"last good", false, Narrow::Drop},
               {"next try", false, Narrow::Drop},
               {"filters", false, Narrow::Drop},
               {"why", false, Narrow::Wrap}});
  for (const auto& [address, entry] : book.entries()) {
    if (common.json) {
      rows.push_back(to_json(entry, now));
      continue;
    }
    const auto judgement = judge(entry, now);
    const auto next = entry.banned(now) ? entry.banned_until : entry.next_try;
    table.add({p2p::to_string(address), judgement.state, std::string(p2p::to_string(entry.origin)),
               entry.tried() ? local_time(entry.last_success) : "-", next > now ? local_time(next) : "now",
               filters_of(entry), judgement.why});
  }
  if (common.json) {
    print_json({{"peers", std::move(rows)}});
  } else if (book.size() == 0) {
    print_line("no peers known yet: spv sync finds some, spv peers add ADDRESS adds one");
  } else {
    table.print();
  }
  return ExitCode::Done;
}

p2p::NetAddress parse(const CommonOptions& common, const std::string& text) {
  const auto address = parse_peer_address(text, chain::params(common.network).default_port);
  if (const auto parsed = p2p::parse_net_address(address.host, address.port)) return *parsed;
  throw UsageError("'" + text + "' is not an IP or onion address; host names work only with --connect");
}

void change(p2p::AddressBook& book, const PeersOptions& options, const p2p::NetAddress& address) {
  const auto now = client::read_clock().wall;
  if (options.action == PeersAction::Add) {
    util::Rng rng(client::system_entropy());
    if (!book.add(address, 0, p2p::Origin::User, "", now, rng)) {
      throw CommandError(ExitCode::Failed, "book-full",
                         "the address book is full of good and banned peers; nothing was added");
    }
  } else if (options.action == PeersAction::Ban) {
    const auto until = now + static_cast<util::UnixTime>(options.days * 86'400);
    book.ban(address, "banned by you", until, now);
  } else if (!book.unban(address, now)) {
    throw CommandError(ExitCode::Failed, "not-banned",
                       p2p::to_string(address) + " is not banned; spv peers shows which are");
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const PeersOptions& options) {
  const auto& params = chain::params(common.network);
  std::vector<p2p::NetAddress> addresses;
  addresses.reserve(options.addresses.size());
  for (const auto& text : options.addresses) addresses.push_back(parse(common, text));
  const bool looks = options.action == PeersAction::List;
  using Use = store::AddressBookFile::Use;
  store::AddressBookFile file(peers_path(common), params.magic, looks ? Use::Look : Use::Change);
  if (!file.trouble().empty()) fmt::print(stderr, "warning: {}\n", file.trouble());
  if (looks) return list(common, file.book);
  if (!file.writable()) {
    throw CommandError(ExitCode::Failed, "book-in-use",
                       "another spv process uses the address book; stop it (or wait) and try again");
  }
  for (const auto& address : addresses) change(file.book, options, address);
  file.save();
  if (!common.json) return ExitCode::Done;
  json::array rows;
  const auto now = client::read_clock().wall;
  for (const auto& address : addresses) rows.push_back(to_json(*file.book.find(address), now));
  print_json({{"peers", std::move(rows)}});
  return ExitCode::Done;
}

}  // namespace spv::cli
