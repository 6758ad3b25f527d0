// Sweep: visits many clients on the loop, a few at a time, so that nothing else waits for long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve {

using ClientId = std::uint64_t;

/// On the loop's thread only.
class Sweep {
 public:
  /// Visits the first client at or above this one and gives its id; 0: there is none. May remove it.
  using Visit = std::function<ClientId(ClientId from)>;

  Sweep(boost::asio::io_context& io, Visit visit);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;
  ~Sweep();

  /// Every client that is there now is visited, soon.
  void start();

 private:
  static constexpr std::size_t kAtOnce = 64;
  struct State;
  static void step(const std::shared_ptr<State>& state);
  static void post_step(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace spv::serve
