#include "store/postgres/listener.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/postgres/database_fixture.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr auto kLong = 60s;

class ListenerTest : public DatabaseTest {};

TEST_F(ListenerTest, HearsOfItsChannelsOnly) {
  Listener listener(connect(), {"events", "Wallets \"new\""});
  sql("NOTIFY other, 'x'");
  sql("NOTIFY events, 'y'");
  EXPECT_THAT(listener.wait(kLong).notifications, ElementsAre(Notification{"events", "y"}));
  sql("NOTIFY \"Wallets \"\"new\"\"\"");
  EXPECT_THAT(listener.wait(kLong).notifications, ElementsAre(Notification{"Wallets \"new\"", ""}));
}

TEST_F(ListenerTest, HearsNothingOfWhatIsRolledBack) {
  Listener listener(connect(), {"events"});
  Connection connection = connect();
  connection.execute("BEGIN; NOTIFY events; ROLLBACK");
  connection.execute("BEGIN; NOTIFY events, 'kept'; COMMIT");
  EXPECT_THAT(listener.wait(kLong).notifications, ElementsAre(Notification{"events", "kept"}));
}

TEST_F(ListenerTest, ReturnsWhenTheTimeIsUp) {
  Listener listener(connect(), {"events"});
  const auto heard = listener.wait(10ms);
  EXPECT_TRUE(heard.notifications.empty());
  EXPECT_FALSE(heard.woken);
}

TEST_F(ListenerTest, T2_IsWokenByAnotherThread) {
  Listener listener(connect(), {"events"});
  std::thread other([&] { listener.wake(); });
  EXPECT_TRUE(listener.wait(kLong).woken);
  other.join();
  EXPECT_FALSE(listener.wait(0ms).woken);
  listener.wake();  // before it waits
  EXPECT_TRUE(listener.wait(kLong).woken);
}

TEST_F(ListenerTest, SaysWhenTheConnectionBreaks) {
  Listener listener(connect(), {"events"});
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
      " AND pid <> pg_backend_pid()");
  EXPECT_EQ(error_of([&] { listener.wait(kLong); }).kind(), StoreError::Kind::Unreachable);
  EXPECT_TRUE(listener.broken());
}

}  // namespace
}  // namespace spv::store::postgres
