#include "tests/serve/http/server_fixture.h"

#include <stdexcept>

namespace spv::test {

void ScriptedHandler::handle(serve::Request request, serve::Reply reply) {
  if (script) return script(std::move(request), std::move(reply));
  serve::Response response;
  response.content_type = "text/plain";
  response.body = std::string(to_string(request.method)) + ' ' + request.path + ' ' + request.body;
  reply.send(std::move(response));
}

ServerTest::Running ServerTest::start() {
  options_.port = 0;
  if (!options_.is_open) options_.is_open = [](const serve::Request& request) { return request.path == "/healthz"; };
  options_.log = [this](const serve::RequestRecord& record) {
    const std::scoped_lock lock(mutex_);
    log_.push_back(to_line(record));
  };
  access_ = std::make_unique<serve::Access>(access_options_);
  server_ = std::make_unique<serve::Server>(io_, options_, *access_, handler_);
  const auto place = server_->listen();
  if (!place) throw std::runtime_error(place.error());
  port_ = static_cast<std::uint16_t>(std::stoul(place->substr(place->rfind(':') + 1)));
  thread_ = std::thread([this] { io_.run(); });
  return Running(*this);
}

std::chrono::milliseconds ServerTest::stop_and_wait() {
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  thread_.join();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
}

void ServerTest::halt() {
  if (thread_.joinable()) {
    io_.stop();
    thread_.join();
  }
  server_.reset();
}

std::vector<std::string> ServerTest::log_lines() {
  const std::scoped_lock lock(mutex_);
  return log_;
}

unsigned ServerTest::status_of(std::string_view bytes) const {
  RawClient client = connect();
  const auto answer = client.ask(bytes);
  return answer ? answer->status : 0;
}

unsigned ServerTest::status_before_close(std::string_view bytes) const {
  RawClient client = connect();
  const auto answer = client.ask(bytes);
  EXPECT_TRUE(client.is_closed());
  return answer ? answer->status : 0;
}

bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + RawClient::kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace spv::test
