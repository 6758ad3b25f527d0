#include "client/events.h"

#include <utility>

namespace spv::client {
namespace {

/// Marks the thread that calls back, as long as it does.
class InCallback {
 public:
  explicit InCallback(std::atomic<std::thread::id>& mark) : mark_(mark) { mark_ = std::this_thread::get_id(); }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { mark_ = std::thread::id(); }

 private:
  std::atomic<std::thread::id>& mark_;
};

/// What a callback throws must end neither the sync nor the process.
template <typename Callback, typename... Arguments>
void call_back(const Callback& callback, const Arguments&... arguments) noexcept {
  try {
    callback(arguments...);
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody else to tell
  }
}

}  // namespace

void Events::on_wake(std::function<void()> wake) { callbacks_.lock()->wake = std::move(wake); }

void Events::subscribe(std::function<void(const Event&)> subscriber) {
  callbacks_.lock()->subscriber = std::move(subscriber);
}

void Events::deliver() {
  if (!queue_.take_fresh()) return;
  const auto callbacks = callbacks_.lock();
  const InCallback here(calling_);
  // Copies: each may put another one in its place.
  while (const auto subscriber = callbacks->subscriber) {
    const auto event = queue_.pop(std::chrono::milliseconds(0));
    if (!event) break;
    call_back(subscriber, *event);
  }
  if (const auto wake = callbacks->wake) call_back(wake);
}

void Events::tell(Event event) {
  push(std::move(event));
  deliver();
}

}  // namespace spv::client
