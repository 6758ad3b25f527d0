#include "net/loop.h"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace spv::net {
namespace asio = boost::asio;

struct Loop::Impl {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

asio::io_context& Loop::io() { return impl_->io; }

void Loop::run(const std::function<util::Duration()>& gather_time) {
  while (impl_->io.run_one() > 0) {
    impl_->io.poll();
    std::this_thread::sleep_for(gather_time());
  }
}

void Loop::stop() { impl_->io.stop(); }

void post(asio::io_context& io, std::function<void()> what) { asio::post(io, std::move(what)); }

}  // namespace spv::net
