#include "store/postgres/database_error.h"

#include <algorithm>
#include <array>
#include <libpq-fe.h>

#include "p2p/message.h"

namespace spv::store::postgres {
namespace {

using Kind = StoreError::Kind;

/// Of a server that does not write: a standby, or one with default_transaction_read_only.
constexpr std::string_view kReadOnlyState = "25006";

struct StateKind {
  std::string_view state;  // or how it begins: the class
  Kind kind;
};
// The first that fits. Appendix A of PostgreSQL's manual has them all.
constexpr std::array kStateKinds{
    StateKind{kFencedState, Kind::Fenced},
    StateKind{"08", Kind::Unreachable},     // connection failure
    StateKind{"57P01", Kind::Unreachable},  // shut down by an administrator
    StateKind{"57P02", Kind::Unreachable},  // a process of the server crashed
    StateKind{"57P03", Kind::Unreachable},  // starting or stopping
    StateKind{"57P05", Kind::Unreachable},  // idle for too long
    StateKind{"25P03", Kind::Unreachable},  // idle in a transaction for too long
    StateKind{"53300", Kind::Unreachable},  // too many connections
    StateKind{"28", Kind::BadLogin},        // password, role, or no line in pg_hba.conf
    StateKind{"3D000", Kind::NoDatabase},
    StateKind{"42501", Kind::NotAllowed},
    StateKind{kReadOnlyState, Kind::Unreachable},  // a standby: the server to write to is another one, or not there yet
    StateKind{"40", Kind::Retry},                  // serialization failure, deadlock
    StateKind{"55P03", Kind::Retry},               // a lock was not to be had in time
    StateKind{"23", Kind::Constraint},
    StateKind{"53100", Kind::Full},
    StateKind{"53", Kind::Io},       // out of memory or of another resource
    StateKind{"58", Kind::Io},       // the server's disk or system
    StateKind{"XX", Kind::Corrupt},  // internal error, damaged data or index
};

std::string advice(Kind kind) {
  switch (kind) {
    case Kind::Unreachable:
      return "; check that the server runs and that the database URL is right";
    case Kind::BadLogin:
      return "; check the user and the password in the database URL, and pg_hba.conf on the server";
    case Kind::NoDatabase:
      return "; create it (createdb) or correct the name in the database URL";
    case Kind::NotAllowed:
      return "; make the user the owner of the database, or grant it the right";
    case Kind::Full:
      return "; free some space on the server and try again, nothing committed is lost";
    case Kind::Corrupt:
      return "; the database may be damaged, see the log of the server";
    case Kind::Fenced:
      return "; another worker has taken over this wallet";
    default:
      return "";
  }
}

std::string_view field(const pg_result* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string one_line(std::string_view text, const DatabaseUrl& url) {
  std::string line = redact(text, url);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return p2p::printable(line);
}

bool is_state(std::string_view text) {
  return text.size() == 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

// "… failed: FATAL:  28P01: password authentication failed for user "x"", then lines about where in the source. What
// the severity is called depends on the server's language.
struct VerboseMessage {
  std::string_view text;
  std::string_view state;
};
VerboseMessage read_verbose(std::string_view message) {
  constexpr std::string_view kBefore = ":  ";
  for (auto at = message.find(kBefore); at != std::string_view::npos; at = message.find(kBefore, at + 1)) {
    const std::string_view state = message.substr(at + kBefore.size(), 5);
    std::string_view rest = message.substr(at + kBefore.size() + state.size());
    if (!is_state(state) || !rest.starts_with(": ")) continue;
    rest.remove_prefix(2);
    return {.text = rest.substr(0, rest.find('\n')), .state = state};
  }
  return {.text = message, .state = {}};
}

}  // namespace

StoreError::Kind kind_of(std::string_view sqlstate) {
  for (const StateKind& entry : kStateKinds) {
    if (sqlstate.starts_with(entry.state)) return entry.kind;
  }
  return sqlstate.empty() ? Kind::Unreachable : Kind::Database;
}

DatabaseError statement_error(const pg_result* result, const DatabaseUrl& url) {
  const std::string_view state = field(result, PG_DIAG_SQLSTATE);
  const Kind kind = kind_of(state);
  // Without a state libpq speaks, not the server.
  const std::string_view said = state.empty() ? PQresultErrorMessage(result) : field(result, PG_DIAG_MESSAGE_PRIMARY);
  std::string message = "database: " + one_line(said, url);
  if (!state.empty()) message += " (SQLSTATE " + std::string(state) + ")";
  const bool read_only = state == kReadOnlyState;
  return {kind, message + (read_only ? "; connect to the primary server, not to a standby" : advice(kind)), state};
}

DatabaseError connect_error(pg_conn* connection, const DatabaseUrl& url) {
  const VerboseMessage said = read_verbose(PQerrorMessage(connection));
  // Where the server asks for a password and there is none, libpq itself gives up.
  const bool no_password = said.state.empty() && PQconnectionNeedsPassword(connection) != 0;
  const Kind kind = no_password ? Kind::BadLogin : kind_of(said.state);
  return {kind, "cannot connect to " + redacted(url) + ": " + one_line(said.text, url) + advice(kind), said.state};
}

DatabaseError lost_error(std::string_view why, const DatabaseUrl& url) {
  return {Kind::Unreachable, "the connection to " + redacted(url) + " is lost: " + one_line(why, url), ""};
}

}  // namespace spv::store::postgres
