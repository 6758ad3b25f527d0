// PageReader: reads parts of the log on a pool of threads and hands them to the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "serve/live/event_page.h"
#include "serve/live/worker_pool.h"
#include "util/expected.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve {

/// The error says why there is none now: the store is away, or too many clients ask for old events.
using PageResult = util::Expected<EventPage, std::string>;

class PageReader {
 public:
  /// Called on the loop.
  using Then = std::function<void(PageResult)>;

  PageReader(boost::asio::io_context& io, store::Store& store, RenderEvent render, std::size_t threads);

  void read(PageQuery query, Then then);
  /// Waits for what is being read; what has not begun is dropped.
  void stop() { pool_.stop(); }

 private:
  [[nodiscard]] PageResult read_now(const PageQuery& query) const;

  boost::asio::io_context& io_;
  store::Store& store_;
  RenderEvent render_;
  WorkerPool pool_;
};

}  // namespace spv::serve
