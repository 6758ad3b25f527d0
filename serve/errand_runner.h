// ErrandRunner: carries out what other processes of the same database ask of this one, because it follows the wallet.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "serve/http/handler.h"
#include "serve/live/worker_pool.h"
#include "store/store.h"
#include "util/log.h"

namespace spv::serve {

class ErrandRunner {
 public:
  /// Called on its thread with each request; answers later, from any thread.
  using Handle = std::function<void(Request, Reply)>;

  /// `store` outlives it, and what it has handed out.
  ErrandRunner(store::Store& store, Handle handle, util::LogSink log);
  ErrandRunner(const ErrandRunner&) = delete;
  ErrandRunner& operator=(const ErrandRunner&) = delete;
  /// Stops.
  ~ErrandRunner() { stop(); }

  void start();
  /// Within a second if the store answers.
  void stop();

 private:
  void run(const std::stop_token& stopping);
  void take();

  store::Store& store_;
  Handle handle_;
  util::LogSink log_;
  std::shared_ptr<WorkerPool> answers_;  // answers outlive this
  std::jthread thread_;
};

}  // namespace spv::serve
