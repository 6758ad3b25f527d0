// DatabaseError: what PostgreSQL or the way to it refused, as a StoreError. It repeats the server's main message, but
// never its details: those may quote a whole row, and a row may hold a secret.
#pragma once

#include <string>
#include <string_view>

#include "store/postgres/database_url.h"
#include "store/store_error.h"

struct pg_conn;
struct pg_result;

namespace spv::store::postgres {

/// The code with which a fence refuses a commit (see leases.h); ours, in the range that SQL leaves to programs.
inline constexpr std::string_view kFencedState = "SPV01";

/// Something of this name is there.
inline constexpr std::string_view kUniqueViolation = "23505";

class DatabaseError : public StoreError {
 public:
  DatabaseError(Kind kind, const std::string& message, std::string_view state)
      : StoreError(kind, message), state_(state) {}
  /// The SQLSTATE, five characters; empty if it does not come from the server.
  [[nodiscard]] const std::string& sqlstate() const { return state_; }

 private:
  std::string state_;
};

/// What a SQLSTATE means for us.
StoreError::Kind kind_of(std::string_view sqlstate);
/// Of a statement that failed.
DatabaseError statement_error(const pg_result* result, const DatabaseUrl& url);
/// Of a connection that could not be made. Its messages must be verbose: only there the SQLSTATE stands.
DatabaseError connect_error(pg_conn* connection, const DatabaseUrl& url);
/// Of a connection that broke; `why` in a few words.
DatabaseError lost_error(std::string_view why, const DatabaseUrl& url);

}  // namespace spv::store::postgres
