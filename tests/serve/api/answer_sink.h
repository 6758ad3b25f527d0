// AnswerSink: what a handler answered, for tests without a server.
#pragma once

#include <memory>
#include <optional>

#include "serve/http/reply.h"

namespace spv::serve {

class AnswerSink final : public ReplySink {
 public:
  void send(Response&& response, std::string_view route) override {
    answer = std::move(response);
    route_name = std::string(route);
  }
  std::shared_ptr<Stream> stream(Response&& head, std::string_view route) override {
    send(std::move(head), route);
    return nullptr;
  }
  void on_gone(std::function<void()> /*callback*/) override {}

  std::optional<Response> answer;
  std::string route_name;
};

}  // namespace spv::serve
