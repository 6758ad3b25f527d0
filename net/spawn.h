// How net/ starts a coroutine that nobody waits for.
// Included by net/ alone: it carries Asio.
#pragma once

#include <exception>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace spv::net {

/// Runs it on the loop. A failed hook (a full disk, say) is thrown through the engine's input; it must end the run, not
/// vanish.
inline void spawn(boost::asio::io_context& io, boost::asio::awaitable<void> task) {
  boost::asio::co_spawn(io, std::move(task), [](const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  });
}

}  // namespace spv::net
