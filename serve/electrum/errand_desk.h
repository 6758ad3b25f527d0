// ErrandDesk: carries out the errands of sessions: reads headers, transactions and proofs on threads of its own, and
// asks the HTTP API for what that does already, broadcasts and fees.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <spv/client.h>

#include "client/backend.h"
#include "client/chain_reader.h"
#include "client/clock.h"
#include "serve/electrum/books.h"
#include "serve/electrum/errand.h"
#include "serve/electrum/header_tree.h"
#include "serve/http/mailbox.h"
#include "serve/http/reply.h"
#include "serve/http/request.h"
#include "serve/live/worker_pool.h"

namespace spv::serve::electrum {

class ErrandDesk {
 public:
  /// Answers a request of the HTTP API, on the server's thread.
  using Ask = std::function<void(Request, Reply)>;
  /// Called on the server's thread, later.
  using Done = std::function<void(Outcome)>;

  /// What it refers to outlives it.
  ErrandDesk(Client& client, const Books& books, std::shared_ptr<Mailbox> door, WorkerPool& pool, Ask ask,
             client::Clock clock);

  /// On the server's thread.
  void carry_out(const Errand& errand, Done done);
  /// Once a second: payments that are stored here are not waited for much longer.
  void tick(util::TimePoint now);

 private:
  void start(const HeadersWanted& wanted, Done done);
  void start(const TxWanted& wanted, Done done);
  void start(const BranchWanted& wanted, Done done);
  void start(const PositionWanted& wanted, Done done);
  void start(const BroadcastWanted& wanted, Done done);
  void start(const FeesWanted& wanted, Done done);

  void later(std::function<Outcome()> work, Done done);
  /// What is at hand comes back later all the same.
  void answer(Done done, Outcome outcome);
  void ask(Request request, std::function<void(const Response&)> then);
  [[nodiscard]] Outcome headers(const HeadersWanted& wanted);
  [[nodiscard]] Outcome transaction(const std::string& wallet, const chain::Txid& txid);
  [[nodiscard]] Outcome branch(const std::string& wallet, const chain::Txid& txid);
  [[nodiscard]] bool is_held(const std::string& txid) const;
  void end_broadcast(std::uint64_t number, const Response& response);

  client::Backend backend_;
  client::ChainReader chain_;
  const Books& books_;
  std::shared_ptr<Mailbox> door_;
  WorkerPool& pool_;
  Ask ask_;
  client::Clock clock_;
  struct Sent {
    std::string txid;
    Done done;
    util::TimePoint since{};
  };
  std::map<std::uint64_t, Sent> sent_;  // nothing is known of them yet
  std::uint64_t next_ = 0;
  std::mutex tree_mutex_;
  HeaderTree tree_;
};

}  // namespace spv::serve::electrum
