#include "serve/api/routes.h"

#include <gtest/gtest.h>

#include "tests/serve/api/answer_sink.h"

namespace spv::serve {
namespace {

class RoutesTest : public testing::Test {
 protected:
  Routes routes_{{{Method::Get, "/v1/wallets", echo("list")},
                  {Method::Post, "/v1/wallets", echo("create")},
                  {Method::Get, "/v1/wallets/{name}", echo("show")},
                  {Method::Delete, "/v1/wallets/{name}", echo("remove")},
                  {Method::Get, "/v1/wallets/{name}/transactions/{txid}", echo("transaction")}}};

  static std::function<void(Call, Reply)> echo(std::string what) {
    return [what = std::move(what)](const Call& call, Reply reply) {
      std::string body = what;
      for (const auto& place : call.places) body += " " + place;
      reply.send({.body = body, .headers = {}});
    };
  }
  Response ask(Method method, std::vector<std::string> segments) {
    sink_ = std::make_shared<AnswerSink>();
    Request request;
    request.method = method;
    request.segments = std::move(segments);
    routes_.handle(std::move(request), Reply(sink_));
    return *sink_->answer;
  }
  std::shared_ptr<AnswerSink> sink_;
};

TEST_F(RoutesTest, PlacesHoldWhatThePathHas) {
  EXPECT_EQ(ask(Method::Get, {"v1", "wallets", "shop"}).body, "show shop");
  EXPECT_EQ(sink_->route_name, "/v1/wallets/{name}") << "the log never has the name";
  EXPECT_EQ(ask(Method::Get, {"v1", "wallets", "shop", "transactions", "ab"}).body, "transaction shop ab");
  EXPECT_EQ(ask(Method::Post, {"v1", "wallets"}).body, "create");
}

TEST_F(RoutesTest, AMethodThatAPathDoesNotTakeNamesThoseThatItDoes) {
  const auto answer = ask(Method::Put, {"v1", "wallets", "shop"});
  EXPECT_EQ(answer.status, 405U);
  EXPECT_EQ(answer.headers.front().first, "Allow");
  EXPECT_EQ(answer.headers.front().second, "GET, HEAD, DELETE");
}

TEST_F(RoutesTest, AnythingElseIsNotFound) {
  EXPECT_EQ(ask(Method::Get, {"v1"}).status, 404U);
  EXPECT_EQ(ask(Method::Get, {}).status, 404U);
  EXPECT_EQ(ask(Method::Get, {"v1", "wallets", "shop", "transactions"}).status, 404U);
  EXPECT_EQ(ask(Method::Get, {"v1", "wallets", "shop", "{txid}"}).status, 404U);
}

}  // namespace
}  // namespace spv::serve
