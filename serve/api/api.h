// Api: answers the requests of the HTTP API (docs/server.md, /v1/openapi.json). What is at hand is answered on the
// server's thread; what may block, for a lock or a disk, on a few threads of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <spv/client.h>

#include <boost/json/fwd.hpp>

#include "client/backend.h"
#include "client/clock.h"
#include "serve/api/broadcasts.h"
#include "serve/api/chain_answers.h"
#include "serve/api/fee_board.h"
#include "serve/api/forwarder.h"
#include "serve/api/routes.h"
#include "serve/api/spending_answers.h"
#include "serve/api/sync_meter.h"
#include "serve/api/wallet_answers.h"
#include "serve/live/event_feed.h"
#include "serve/live/worker_pool.h"
#include "serve/page/page.h"

namespace spv::serve {

class Api final : public Handler {
 public:
  struct Setup {
    Client& client;
    EventFeed& feed;
    client::Clock clock;
    std::function<Response()> metrics;  // answers GET /metrics, and may block
    bool shares = false;                // other processes follow wallets of the same store
    /// Answers GET /v1/electrum, on the server's thread.
    std::function<boost::json::object()> electrum = {};
  };
  /// What it refers to outlives it.
  explicit Api(Setup setup);
  ~Api() override;

  void handle(Request request, Reply reply) override;
  /// Needs neither token nor session.
  [[nodiscard]] bool is_open(const Request& request) const;

  /// From the thread that syncs.
  void on(const Event& event);
  /// Once a second, on the server's thread.
  void tick();
  /// No request is answered any more; waits for those that are being answered.
  void stop();

  [[nodiscard]] const SyncMeter& meter() const { return meter_; }
  [[nodiscard]] client::Backend& backend() { return backend_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }

 private:
  using Answer = std::function<Response(const Call&)>;

  [[nodiscard]] std::vector<Route> make_routes();
  void add_wallet_routes(std::vector<Route>& routes);
  void add_chain_routes(std::vector<Route>& routes);
  void add_event_routes(std::vector<Route>& routes);
  /// Answered by a thread of the pool.
  [[nodiscard]] std::function<void(Call, Reply)> later(Answer answer);
  /// The same for what answers in its own time.
  [[nodiscard]] std::function<void(Call, Reply)> hand_over(std::function<void(Call, Reply)> work);
  /// The same for what changes a wallet: of a database it is done by the process that follows it.
  [[nodiscard]] std::function<void(Call, Reply)> by_holder(Answer answer);
  /// Waits for a wallet that is about to be opened here; not while the server ends.
  [[nodiscard]] bool await_open(const std::string& name);
  void broadcast(Call call, Reply reply);
  void count_wallets();

  Setup setup_;
  client::Backend backend_;
  Page page_;
  SyncMeter meter_;
  WalletAnswers wallets_;
  ChainAnswers chain_;
  Broadcasts broadcasts_;
  FeeBoard fees_;
  SpendingAnswers spending_;
  std::atomic<std::size_t> wallet_count_ = 0;
  std::atomic<bool> looking_ = false;  // a tick is under way
  std::atomic<bool> stopping_ = false;
  Routes routes_;
  std::optional<Forwarder> forwarder_;  // with a database
  WorkerPool pool_;
};

}  // namespace spv::serve
