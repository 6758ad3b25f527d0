#include "store/postgres/backend.h"

#include "store/postgres/transaction.h"

namespace spv::store::postgres {
namespace {

constexpr int kMaxTries = 5;

}  // namespace

std::vector<Result> run_fenced(Backend& backend, Connection& connection, const std::vector<HeldShard>& shards,
                               std::vector<Command> commands) {
  commands.insert(commands.begin(), backend.leases.fence(shards));
  for (int tries = 1;; ++tries) {
    try {
      std::vector<Result> results = run_transaction(connection, commands);
      results.erase(results.begin());
      return results;
    } catch (const DatabaseError& error) {
      if (error.kind() == StoreError::Kind::Fenced) backend.leases.refresh();
      if (error.kind() != StoreError::Kind::Retry || tries == kMaxTries) throw;
    }
  }
}

}  // namespace spv::store::postgres
