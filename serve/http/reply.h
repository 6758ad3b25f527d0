// Reply: how a handler answers, at once or later. ReplySink is what stands behind it: a connection, or a test.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "serve/http/response.h"
#include "serve/http/stream.h"

namespace spv::serve {

/// Takes one answer. May be called from any thread.
class ReplySink {
 public:
  ReplySink() = default;
  ReplySink(const ReplySink&) = delete;
  ReplySink& operator=(const ReplySink&) = delete;
  virtual ~ReplySink() = default;
  virtual void send(Response&& response, std::string_view route) = 0;
  virtual std::shared_ptr<Stream> stream(Response&& head, std::string_view route) = 0;
  virtual void on_gone(std::function<void()> callback) = 0;
};

/// Answered exactly once, from any thread. One that is destroyed unanswered answers 503. It may outlive the server, and
/// does nothing then.
class Reply {
 public:
  explicit Reply(std::shared_ptr<ReplySink> sink) : sink_(std::move(sink)) {}
  Reply(Reply&&) = default;
  Reply& operator=(Reply&& other) noexcept;
  ~Reply();

  /// How the access log and the metrics call this request: "/v1/wallets/{name}". A literal: it is not copied.
  void set_route(std::string_view pattern) { route_ = pattern; }
  void send(Response response);
  /// Begins an answer without an end, such as text/event-stream. Never null: where there are too many streams the
  /// client gets 429, and the stream is closed from the start.
  std::shared_ptr<Stream> stream(Response head);
  /// Called on the server's thread if the client goes away before the answer (a long poll). At once if it has gone.
  void on_gone(std::function<void()> callback);
  /// Whether an answer has been given.
  [[nodiscard]] bool answered() const { return sink_ == nullptr; }

 private:
  void give_up();

  std::shared_ptr<ReplySink> sink_;
  std::string_view route_;
};

}  // namespace spv::serve
