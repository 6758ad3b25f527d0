#include "store/postgres/worker_table.h"

#include <algorithm>

namespace spv::store::postgres {
namespace {

constexpr Statement kLeads{
    .name = "worker_leads",
    .sql =
        "SELECT EXISTS (SELECT FROM shard JOIN worker ON worker.id = shard.worker"
        " WHERE shard.id = 0 AND worker.id = $1 AND shares AND lease_until > clock_timestamp())"};
constexpr Statement kWorkers{.name = "worker_list",
                             .sql =
                                 "SELECT id, host, extract(epoch FROM started)::bigint, wallets, height,"
                                 " extract(epoch FROM seen)::bigint FROM worker"
                                 " WHERE shares AND alive_until > clock_timestamp() ORDER BY id"};

}  // namespace

bool is_leader(Connection& connection, std::int64_t worker) {
  return connection.run(kLeads, Params().bigint(worker)).boolean(0, 0);
}

std::vector<WorkerInfo> read_workers(Connection& connection) {
  const Result rows = connection.run(kWorkers);
  std::vector<WorkerInfo> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out.push_back({.id = rows.bigint(row, 0),
                   .host = std::string(rows.text(row, 1)),
                   .started = rows.bigint(row, 2),
                   .wallets = static_cast<std::size_t>(std::max(rows.integer(row, 3), 0)),
                   .height = rows.optional_integer(row, 4),
                   .seen = rows.bigint(row, 5)});
  }
  return out;
}

}  // namespace spv::store::postgres
