// What clients ask that is not in the books: headers, transactions and their proofs, broadcasts and fees.
#include "serve/electrum/errand_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/electrum/server_fixture.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::serve::electrum {
namespace {

using testing::HasSubstr;

class ErrandDeskTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(follow_one());
    books_.put(view("one"));
  }
  Outcome outcome_of(const Errand& errand) {
    std::optional<Outcome> out;
    desk_.carry_out(errand, [&out](Outcome outcome) { out = std::move(outcome); });
    EXPECT_FALSE(out) << "never before carry_out() returns";
    EXPECT_TRUE(run_until([&] { return out.has_value(); }));
    return out.value_or(RpcError{});
  }
  template <typename T>
  T result_of(const Errand& errand) {
    auto out = outcome_of(errand);
    if (const auto* error = std::get_if<RpcError>(&out)) ADD_FAILURE() << error->message;
    auto* wanted = std::get_if<T>(&out);
    return wanted == nullptr ? T() : std::move(*wanted);
  }
  std::string error_of(const Errand& errand) {
    const auto out = outcome_of(errand);
    const auto* error = std::get_if<RpcError>(&out);
    EXPECT_NE(error, nullptr);
    return error == nullptr ? "" : error->message;
  }
  /// Begins a broadcast; the HTTP API has not answered yet.
  void begin_broadcast(const chain::Transaction& tx) {
    sent_.reset();
    desk_.carry_out(BroadcastWanted{util::to_hex(tx.serialize())},
                    [this](Outcome outcome) { sent_ = std::move(outcome); });
    ASSERT_EQ(asked_.size(), 1U);
  }
  /// The HTTP API answers.
  void answer(const std::string& body, unsigned status = 200) {
    auto [request, reply] = std::move(asked_.front());
    asked_.erase(asked_.begin());
    reply.send({.status = status, .body = body, .headers = {}});
  }
  [[nodiscard]] chain::Transaction strangers() const { return test::TxBuilder().pays(test::script(9), 1'000).build(); }

  Books books_;
  std::vector<std::pair<Request, Reply>> asked_;
  util::TimePoint now_{};
  std::optional<Outcome> sent_;
  ErrandDesk desk_{client_,
                   books_,
                   door_,
                   pool_,
                   [this](Request request, Reply reply) { asked_.emplace_back(std::move(request), std::move(reply)); },
                   [this] {
                     return util::Now{now_, 0};
                   }};
};

TEST_F(ErrandDeskTest, ReadsHeadersUpToTheTip) {
  const auto chain = live_.with([](test::FakeNode& node) { return node.chain(); });
  EXPECT_EQ(result_of<HeadersFound>(HeadersWanted{.from = 1, .count = 3}).headers, chain.headers(1, 3));
  EXPECT_EQ(result_of<HeadersFound>(HeadersWanted{.from = 20, .count = 2'016}).headers, chain.headers(20));
  EXPECT_TRUE(result_of<HeadersFound>(HeadersWanted{.from = 100, .count = 1}).headers.empty());
}

TEST_F(ErrandDeskTest, ProvesHeadersAgainstACheckpoint) {
  const auto found = result_of<HeadersFound>(HeadersWanted{.from = 4, .count = 2, .checkpoint = 20});
  ASSERT_TRUE(found.proof);
  std::vector<util::Hash256> leaves;
  const auto chain = live_.with([](test::FakeNode& node) { return node.chain(); });
  for (const auto& header : chain.headers(0, 21)) leaves.push_back(util::retag<util::Hash256>(header.hash()));
  EXPECT_EQ(*found.proof, merkle_branch(leaves, 5));
  EXPECT_THAT(error_of(HeadersWanted{.from = 4, .count = 2, .checkpoint = 30}), HasSubstr("not all here"));
}

TEST_F(ErrandDeskTest, GivesTransactionsOfFollowedWalletsOnly) {
  const auto found = result_of<TxFound>(TxWanted{.txid = payment().txid()});
  EXPECT_EQ(found.tx.serialize(), payment().serialize());
  ASSERT_TRUE(found.confirmation);
  EXPECT_EQ(found.confirmation->block.height, 11);
  EXPECT_EQ(found.tip, 22);
  EXPECT_THAT(error_of(TxWanted{.txid = strangers().txid()}), HasSubstr("in no wallet that this server follows"));
}

TEST_F(ErrandDeskTest, ProvesTransactionsOfFollowedWalletsOnly) {
  const auto found = result_of<BranchFound>(BranchWanted{.txid = payment().txid()});
  EXPECT_EQ(found.height, 11);
  EXPECT_EQ(found.branch.position, 1U);
  const auto block = live_.with([](test::FakeNode& node) { return node.chain().block(11); });
  ASSERT_EQ(found.branch.branch.size(), 1U);
  const auto txid = util::retag<util::Hash256>(payment().txid());
  EXPECT_EQ(util::retag<chain::MerkleRoot>(util::sha256d_pair(found.branch.branch[0].view(), txid.view())),
            block.header.merkle_root);
  EXPECT_THAT(error_of(BranchWanted{.txid = strangers().txid()}), HasSubstr("in no wallet that this server follows"));
}

TEST_F(ErrandDeskTest, FindsTransactionsOfFollowedWalletsByTheirPlace) {
  const auto found = result_of<BranchFound>(PositionWanted{.height = 11, .position = 1});
  EXPECT_EQ(found.txid, payment().txid());
  EXPECT_THAT(error_of(PositionWanted{.height = 11, .position = 0}), HasSubstr("no transaction of a wallet"));
  EXPECT_THAT(error_of(PositionWanted{.height = 12, .position = 1}), HasSubstr("no transaction of a wallet"));
}

TEST_F(ErrandDeskTest, AnUnconfirmedTransactionHasNoProof) {
  const auto loose = test::TxBuilder().pays(test::script(1), 9'000).build();
  auto changed = std::make_shared<WalletView>(*view("one"));
  changed->places.emplace(loose.txid(), 0);
  books_.put(changed);
  EXPECT_THAT(error_of(BranchWanted{.txid = loose.txid()}), HasSubstr("in no block"));
}

TEST_F(ErrandDeskTest, BroadcastsByTheHttpApi) {
  const auto tx = strangers();
  begin_broadcast(tx);
  EXPECT_EQ(asked_.front().first.path, "/v1/transactions");
  EXPECT_EQ(asked_.front().first.method, Method::Post);
  EXPECT_TRUE(asked_.front().first.authorized);
  EXPECT_THAT(asked_.front().first.body, HasSubstr(util::to_hex(tx.serialize())));
  answer(R"({"txid":"ab","state":"accepted","peers_accepted":1})");
  ASSERT_TRUE(run_until([&] { return sent_.has_value(); }));
  EXPECT_EQ(std::get<BroadcastDone>(*sent_).txid, util::to_string(tx.txid()));
}

TEST_F(ErrandDeskTest, WhyNobodyTookAPaymentIsTheError) {
  begin_broadcast(strangers());
  answer(R"({"error":{"code":"refused","message":"the fee is below what peers relay"}})", 422);
  ASSERT_TRUE(run_until([&] { return sent_.has_value(); }));
  EXPECT_EQ(std::get<RpcError>(*sent_).message, "the fee is below what peers relay");
  begin_broadcast(strangers());
  answer("nonsense", 503);
  ASSERT_TRUE(run_until([&] { return sent_.has_value(); }));
  EXPECT_FALSE(std::get<RpcError>(*sent_).message.empty());
  EXPECT_FALSE(error_of(BroadcastWanted{"nonsense"}).empty());
  EXPECT_TRUE(asked_.empty()) << "what is no transaction is not passed on";
}

TEST_F(ErrandDeskTest, AStrangersPaymentThatNoPeerTookIsNoSuccess) {
  begin_broadcast(strangers());
  answer(R"({"txid":"ab","state":"uncertain","peers_accepted":0})");
  ASSERT_TRUE(run_until([&] { return sent_.has_value(); }));
  EXPECT_THAT(std::get<RpcError>(*sent_).message, HasSubstr("is not sent again"));
}

TEST_F(ErrandDeskTest, AStoredPaymentIsASuccessThoughNoPeerTookItYet) {
  begin_broadcast(payment());
  answer(R"({"txid":"ab","state":"uncertain","peers_accepted":0})");
  ASSERT_TRUE(run_until([&] { return sent_.has_value(); }));
  EXPECT_EQ(std::get<BroadcastDone>(*sent_).txid, util::to_string(payment().txid()));
}

// A client gives up after ten seconds, and its user pays again.
TEST_F(ErrandDeskTest, AStoredPaymentIsNotWaitedForLong) {
  begin_broadcast(payment());
  desk_.tick(now_ + std::chrono::seconds(6));
  EXPECT_FALSE(sent_);
  desk_.tick(now_ + std::chrono::seconds(7));
  ASSERT_TRUE(sent_);
  EXPECT_TRUE(std::holds_alternative<BroadcastDone>(*sent_));
  sent_.reset();
  answer(R"({"error":{"code":"x","message":"too late"}})", 422);
  io_.poll();
  EXPECT_FALSE(sent_) << "a call has one answer";
  begin_broadcast(strangers());
  desk_.tick(now_ + std::chrono::hours(1));
  EXPECT_FALSE(sent_) << "nobody sends this one again";
  answer(R"({"txid":"ab","state":"fetched","peers_accepted":0})");
  EXPECT_TRUE(run_until([&] { return sent_.has_value(); }));
}

TEST_F(ErrandDeskTest, AsksForFeesOnceAndSaysNothingWhereNothingIsKnown) {
  std::optional<Outcome> out;
  desk_.carry_out(FeesWanted{}, [&out](Outcome outcome) { out = std::move(outcome); });
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_.front().first.path, "/v1/fees");
  answer(R"({"floor_sat_per_vb":null,"estimate_sat_per_vb":null,"sources":[]})");
  ASSERT_TRUE(run_until([&] { return out.has_value(); }));
  EXPECT_FALSE(std::get<FeesFound>(*out).estimate);
}

TEST_F(ErrandDeskTest, TooManyErrandsAreRefused) {
  pool_.stop();
  EXPECT_THAT(error_of(HeadersWanted{}), HasSubstr("too many requests"));
}

}  // namespace
}  // namespace spv::serve::electrum
