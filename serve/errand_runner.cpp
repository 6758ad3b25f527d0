#include "serve/errand_runner.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "serve/api/forwarder.h"

namespace spv::serve {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 500ms;
constexpr auto kTryAgain = 1s;
constexpr std::size_t kMostUntold = 256;

/// The answer goes back through the store, by a thread that may wait for it: it is given on the server's thread, or on
/// the one that syncs.
class ErrandSink final : public ReplySink {
 public:
  ErrandSink(store::Store& store, std::shared_ptr<WorkerPool> pool, store::ErrandId id)
      : store_(store), pool_(std::move(pool)), id_(id) {}

  void send(Response&& response, std::string_view /*route*/) override {
    const std::function<void()> tell = [&store = store_, id = id_, answer = to_errand_answer(response)] {
      try {
        store.answer_errand(id, answer);
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): who asked is told that nothing is known
      }
    };
    if (!pool_->post(tell)) tell();  // the server ends, and waits for this
  }
  std::shared_ptr<Stream> stream(Response&& /*head*/, std::string_view route) override {
    send(error_response(400, "bad-request", "a stream cannot be forwarded"), route);
    return nullptr;
  }
  void on_gone(std::function<void()> /*callback*/) override {}

 private:
  store::Store& store_;
  std::shared_ptr<WorkerPool> pool_;
  store::ErrandId id_;
};

}  // namespace

ErrandRunner::ErrandRunner(store::Store& store, Handle handle, util::LogSink log)
    : store_(store),
      handle_(std::move(handle)),
      log_(std::move(log)),
      answers_(std::make_shared<WorkerPool>(1, kMostUntold)) {}

void ErrandRunner::start() {
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void ErrandRunner::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  answers_->stop();
}

void ErrandRunner::run(const std::stop_token& stopping) {
  std::mutex mutex;
  std::condition_variable_any never;
  bool away = false;
  while (!stopping.stop_requested()) {
    try {
      take();
      away = false;
    } catch (const std::exception& error) {
      if (!std::exchange(away, true) && log_) log_(util::LogLevel::Warn, error.what());
      std::unique_lock lock(mutex);
      never.wait_for(lock, stopping, kTryAgain, [] { return false; });
    }
  }
}

void ErrandRunner::take() {
  for (const auto& errand : store_.take_errands(kLook)) {
    Reply reply(std::make_shared<ErrandSink>(store_, answers_, errand.id));
    auto request = from_errand(errand.body);
    if (request) {
      handle_(std::move(*request), std::move(reply));
    } else {
      reply.send(error_response(400, "bad-request", "this version does not know such a request; update all processes"));
    }
  }
}

}  // namespace spv::serve
