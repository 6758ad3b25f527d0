// Spending by the API: a PSBT that somebody else signs, and the transaction that comes of it.
#pragma once

#include "client/backend.h"
#include "client/clock.h"
#include "serve/api/broadcasts.h"
#include "serve/api/routes.h"

namespace spv::serve {

class SpendingAnswers {
 public:
  /// All outlive it.
  SpendingAnswers(Client& client, client::Backend& backend, Broadcasts& broadcasts, client::Clock clock)
      : client_(client), backend_(backend), broadcasts_(broadcasts), clock_(std::move(clock)) {}

  Response make_psbt(const Call& call);
  /// The wallet that a transaction spends from, if another process follows it.
  [[nodiscard]] std::optional<std::string> payer_elsewhere(const Call& call);
  /// Answers when it is known what the network did with it.
  void broadcast(const Call& call, Reply reply, util::TimePoint now);

 private:
  Client& client_;
  client::Backend& backend_;
  Broadcasts& broadcasts_;
  client::Clock clock_;
};

}  // namespace spv::serve
