// Transactions: all or nothing. run_transaction() where all is known beforehand, in one round trip; Transaction where
// one statement depends on what another gave.
#pragma once

#include <vector>

#include "store/postgres/connection.h"

namespace spv::store::postgres {

/// BEGIN, the commands and COMMIT in one round trip; gives the results of the commands. Where it throws, nothing is
/// changed, unless it is of kind Unreachable: then that is not known.
std::vector<Result> run_transaction(Connection& connection, std::vector<Command> commands);

/// Commands that only read, all of one moment, in one round trip.
std::vector<Result> run_snapshot(Connection& connection, std::vector<Command> commands);

/// Rolls back unless committed. There is one at a time on a connection.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  /// Runs the last commands and commits, in one round trip. Throws as run_transaction() does, also where the server
  /// rolls back because an earlier statement failed.
  std::vector<Result> commit(std::vector<Command> last = {});

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace spv::store::postgres
