// What every store must do, over a database.
#include "store/postgres/database_store.h"
#include "tests/store/store_suite.h"
#include "tests/support/postgres_cluster.h"

namespace spv::test {
namespace {

class DatabasePlace final : public StorePlace {
 public:
  std::shared_ptr<store::Store> open(chain::Network network) override {
    const auto url = store::postgres::parse_database_url(PostgresCluster::shared().url(name_));
    return std::make_shared<store::postgres::DatabaseStore>(*url, network);
  }
  ~DatabasePlace() override { PostgresCluster::shared().drop_database(name_); }

 private:
  std::string name_ = PostgresCluster::shared().create_database();
};

std::vector<StoreKind> databases() {
  if (!PostgresCluster::programs()) return {};
  return {{.name = "Database", .make = [] { return std::make_unique<DatabasePlace>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Database, StoreSuite, testing::ValuesIn(databases()),
                         [](const auto& kind) { return kind.param.name; });
// Without a server.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreSuite);

}  // namespace
}  // namespace spv::test
