// Client: somebody who is connected; Clients: all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "util/time.h"

namespace spv::serve {

class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;
  /// Ends it if something takes too long.
  virtual void check_deadline(util::TimePoint now) = 0;
  /// The server stops: ends it as soon as it has its answer.
  virtual void wind_up() = 0;
  /// The time for that is over: answers if it can be done at once, and ends it.
  virtual void hurry() = 0;
  /// Ends it.
  virtual void cut() = 0;
};

class Clients {
 public:
  void add(std::shared_ptr<Client> client) {
    Client* key = client.get();
    all_.emplace(key, std::move(client));
  }
  void remove(Client* client) {
    all_.erase(client);
    if (all_.empty() && on_empty_) on_empty_();
  }
  /// Each may end, and leave, meanwhile.
  template <typename Do>
  void each(Do what) const {
    std::vector<std::shared_ptr<Client>> now;
    now.reserve(all_.size());
    for (const auto& [key, client] : all_) now.push_back(client);
    for (const auto& client : now) what(*client);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  void on_empty(std::function<void()> callback) { on_empty_ = std::move(callback); }

 private:
  std::unordered_map<Client*, std::shared_ptr<Client>> all_;
  std::function<void()> on_empty_;
};

}  // namespace spv::serve
