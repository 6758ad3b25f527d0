// DatabaseUrl: where a database is and who asks, as postgresql://user:password@host:port/name?parameters (the form of
// libpq). The password is never shown: not in the form for people, not in errors. Errors repeat nothing of the text at
// all, because in a URL with a stray "/" or "@" any part may be one of the password.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/expected.h"

namespace spv::store::postgres {

struct DatabaseUrlError {
  std::string message;  // what is wrong and what to do
};

struct DatabaseUrl {
  std::string user;      // empty: as libpq has it, $PGUSER or the user of the system
  std::string password;  // empty: none, or $PGPASSWORD, or ~/.pgpass
  std::string host;      // a name, an address or the folder of a socket; several with commas; empty: the default socket
  std::string port;      // as many as hosts, or one for all; empty: 5432
  std::string name;      // of the database
  /// The other settings of libpq, by name, in the order given.
  std::vector<std::pair<std::string, std::string>> parameters;
  friend bool operator==(const DatabaseUrl&, const DatabaseUrl&) = default;
};

/// Reads postgresql:// and postgres://. Parts may be percent-encoded; in the password at least ":/?#[]@%" must be.
/// Refuses parameters that libpq does not have and those that it is not ours to change.
util::Expected<DatabaseUrl, DatabaseUrlError> parse_database_url(std::string_view text);
/// For people: "***" in place of the password and of any other secret.
std::string redacted(const DatabaseUrl& url);
/// A message of the server or of libpq, with "***" wherever it repeats one of the secrets.
std::string redact(std::string_view message, const DatabaseUrl& url);

}  // namespace spv::store::postgres
