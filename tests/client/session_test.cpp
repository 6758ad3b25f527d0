// A session as `spv sync` has it: one wallet, on a loop of its own.
#include "client/session.h"

#include <algorithm>
#include <type_traits>

#include <gtest/gtest.h>

#include "client/new_wallet.h"
#include "client/open_wallet.h"
#include "tests/client/client_fixture.h"
#include "tests/support/tx_builder.h"

namespace spv::test {
namespace {

class SessionTest : public ClientTest {
 protected:
  SessionTest() : folder(options().data_dir, chain::Network::Regtest), wallet(make_wallet()) {}

  client::OpenWallet make_wallet() {
    client::NewWallet fresh;
    const auto& params = chain::params(chain::Network::Regtest);
    client::add_pairs(*wallet::Descriptor::parse("addr(" + address(1) + ")", params), fresh.chains);
    client::make_store(folder, chain::Network::Regtest)
        ->create("one", client::to_stored(chain::Network::Regtest, std::move(fresh)));
    return client::open_wallet(client::make_store(folder, chain::Network::Regtest), "one", store::Access::Write);
  }
  /// Runs a session to its end; what it commits is kept.
  client::RunResult run(client::Session& session, const Options& given, client::SessionErrands errands = {}) {
    client::SessionSetup setup{chain::params(chain::Network::Regtest), given, folder.headers().string()};
    setup.errands = std::move(errands);
    client::SessionHooks hooks;
    hooks.commit = [&](const std::vector<client::MemberChanges>& changes) {
      for (const auto& each : changes) client::commit_changes(wallet, each.changes, 1);
      commits += changes.size();
    };
    hooks.notify = [&](const client::SyncEvent& event) { events.push_back(event); };
    session.open_headers(setup);
    return session.run(setup, std::move(hooks));
  }
  client::DataFolder folder;
  client::OpenWallet wallet;
  std::size_t commits = 0;
  std::vector<client::SyncEvent> events;
};

TEST_F(SessionTest, HandsOverWhatIsToBeCommittedAndSumsUp) {
  client::Session session(store::HeaderBase::genesis(chain::params(chain::Network::Regtest)));
  session.add(7, wallet.wallet);
  EXPECT_FALSE(session.progress()) << "there is nothing to tell before it is prepared";
  EXPECT_EQ(run(session, options()), client::RunResult::Finished);
  EXPECT_GT(commits, 0);
  EXPECT_FALSE(session.failure());
  const auto summary = session.summary(1'700'000'000);
  EXPECT_EQ(summary.tip.height, 22);
  EXPECT_EQ(summary.headers_added, 22);
  EXPECT_EQ(summary.counts.merkleblocks, 23) << "blocks 0 to 22";
  EXPECT_EQ(summary.counts.relevant, 1);
  EXPECT_EQ(summary.mempool, "skipped");
  EXPECT_FALSE(summary.mempool_asked);
  ASSERT_TRUE(summary.filter);
  EXPECT_EQ(summary.filter->elements, 1);
  ASSERT_EQ(summary.peers.size(), 1);
  EXPECT_EQ(summary.peers[0].address, options().peers.front());
  EXPECT_EQ(summary.peers[0].transport, "v1");
  EXPECT_GT(summary.bytes.in, 1'000);
  const auto progress = session.progress();
  EXPECT_EQ(progress->scanned, 22);
  EXPECT_TRUE(progress->headers_done);
  EXPECT_EQ(progress->transports, "v1");
  // As another process finds it.
  auto again = client::open_wallet(client::make_store(folder, chain::Network::Regtest), "one", store::Access::Read);
  EXPECT_EQ(again.wallet.balance().confirmed, 5'000);
  EXPECT_EQ(again.wallet.scan().scanned_to.height, 22);
}

TEST_F(SessionTest, SaysWhatHappens) {
  client::Session session(store::HeaderBase::genesis(chain::params(chain::Network::Regtest)));
  session.add(7, wallet.wallet);
  run(session, options());
  const auto count = [&]<typename E>(std::type_identity<E>) {
    return std::ranges::count_if(events, [](const auto& event) { return std::holds_alternative<E>(event); });
  };
  EXPECT_EQ(count(std::type_identity<client::TransactionSeen>()), 1);
  EXPECT_GE(count(std::type_identity<client::TipChanged>()), 1);
  EXPECT_GE(count(std::type_identity<client::PeerStateChanged>()), 1);
  ASSERT_TRUE(std::holds_alternative<client::SyncFinished>(events.back()));
  EXPECT_FALSE(std::get<client::SyncFinished>(events.back()).failed);
}

TEST_F(SessionTest, TellsANodeATransactionWithWhatItSpendsFromAndAsksForFees) {
  const auto first = TxBuilder(1).pays(script(1), 900).build();
  const auto second = TxBuilder(2).spends(first).pays(script(1), 800).build();
  const auto third = TxBuilder(3).spends(second).spends(first, 7).pays(script(2), 700).build();
  for (const auto& tx : {first, second}) (void)wallet.wallet.apply_unconfirmed(tx, 1'700'000'000);
  client::Session session(store::HeaderBase::genesis(chain::params(chain::Network::Regtest)));
  session.add(7, wallet.wallet);
  EXPECT_EQ(run(session, options(), {.broadcasts = {third}, .fees = true, .scan = false}), client::RunResult::Finished);
  std::vector<client::BroadcastChanged> told;
  std::vector<client::FeesKnown> fees;
  for (const auto& event : events) {
    if (const auto* e = std::get_if<client::BroadcastChanged>(&event)) told.push_back(*e);
    if (const auto* e = std::get_if<client::FeesKnown>(&event)) fees.push_back(*e);
  }
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().txid, third.txid());
  EXPECT_EQ(told.back().state, client::BroadcastState::Fetched);
  EXPECT_TRUE(told.back().final);
  ASSERT_EQ(fees.size(), 1U);
  EXPECT_EQ(fees[0].floor, 1'000);
  EXPECT_EQ(commits, 0U) << "nothing was scanned";
  EXPECT_EQ(node_.seen.transactions, (std::vector{first, second, third}));
}

TEST_F(SessionTest, SaysWhyItCouldNotBeFinished) {
  client::Session session(store::HeaderBase::genesis(chain::params(chain::Network::Regtest)));
  session.add(7, wallet.wallet);
  auto given = options();
  given.peers = {"127.0.0.1:1"};
  run(session, given);
  const auto failure = session.failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "no-peers");
}

TEST_F(SessionTest, CountsTheElementsOfItsWallets) {
  client::Session session(store::HeaderBase::genesis(chain::params(chain::Network::Regtest)));
  EXPECT_TRUE(session.empty());
  session.add(7, wallet.wallet);
  EXPECT_EQ(session.elements(), 1);
  session.remove(7);
  EXPECT_TRUE(session.empty());
  EXPECT_EQ(session.elements(), 0);
}

}  // namespace
}  // namespace spv::test
