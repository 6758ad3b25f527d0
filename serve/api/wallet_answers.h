// What the API tells about wallets and does to them. All of it may block.
#pragma once

#include "client/backend.h"
#include "client/clock.h"
#include "serve/api/routes.h"

namespace spv::serve {

class WalletAnswers {
 public:
  /// `backend` outlives it.
  WalletAnswers(client::Backend& backend, client::Clock clock) : backend_(backend), clock_(std::move(clock)) {}

  Response list(const Call& call);
  Response create(const Call& call);
  Response show(const Call& call);
  Response remove(const Call& call);
  Response balance(const Call& call);
  Response history(const Call& call);
  Response coins(const Call& call);
  Response addresses(const Call& call);
  Response new_address(const Call& call);
  Response transaction(const Call& call);
  Response proof(const Call& call);
  Response label(const Call& call);
  Response rescan(const Call& call);

  /// The answer of show() if it is at hand: for a wallet that is open here. Never blocks.
  [[nodiscard]] std::optional<Response> show_now(const std::string& name) const;
  [[nodiscard]] std::optional<Response> balance_now(const std::string& name) const;

 private:
  client::Backend& backend_;
  client::Clock clock_;
};

}  // namespace spv::serve
