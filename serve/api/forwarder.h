// Forwarder: changes to a wallet that another process of the same database follows are asked of that process, as the
// request that they came in.
#pragma once

#include <chrono>
#include <stop_token>

#include "serve/api/routes.h"
#include "serve/live/worker_pool.h"
#include "store/store.h"

namespace spv::serve {

class Forwarder {
 public:
  /// `store` outlives it.
  explicit Forwarder(store::Store& store);

  /// Asks the process that follows this wallet, and answers with what it answers.
  void forward(const std::string& wallet, Call call, Reply reply);
  /// Those who wait are answered within seconds.
  void stop() {
    stop_.request_stop();
    pool_.stop();
  }

 private:
  [[nodiscard]] Response ask(const std::string& wallet, const Request& request);

  store::Store& store_;
  std::stop_source stop_;
  WorkerPool pool_;  // of its own: those who wait for others must not keep ours waiting
};

/// A request as an errand holds it, and back; nothing if the text is not one.
std::string to_errand(const Request& request);
std::optional<Request> from_errand(std::string_view text);
/// The same for the answer.
std::string to_errand_answer(const Response& response);
std::optional<Response> from_errand_answer(std::string_view text);

}  // namespace spv::serve
