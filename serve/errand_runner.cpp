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

/// The answer goes back through the store.
class ErrandSink final : public ReplySink {
 public:
  ErrandSink(store::Store& store, store::ErrandId id) : store_(store), id_(id) {}

  void send(Response&& response, std::string_view /*route*/) override {
    try {
      store_.answer_errand(id_, to_errand_answer(response));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): who asked is told that nothing is known
    }
  }
  std::shared_ptr<Stream> stream(Response&& /*head*/, std::string_view route) override {
    send(error_response(400, "bad-request", "a stream cannot be forwarded"), route);
    return nullptr;
  }
  void on_gone(std::function<void()> /*callback*/) override {}

 private:
  store::Store& store_;
  store::ErrandId id_;
};

}  // namespace

ErrandRunner::ErrandRunner(store::Store& store, Handle handle, util::LogSink log)
    : store_(store), handle_(std::move(handle)), log_(std::move(log)) {}

void ErrandRunner::start() {
  thread_ = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
}

void ErrandRunner::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
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
    Reply reply(std::make_shared<ErrandSink>(store_, errand.id));
    auto request = from_errand(errand.body);
    if (request) {
      handle_(std::move(*request), std::move(reply));
    } else {
      reply.send(error_response(400, "bad-request", "this version does not know such a request; update all processes"));
    }
  }
}

}  // namespace spv::serve
