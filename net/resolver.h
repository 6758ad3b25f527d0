// Resolver: names to addresses, in the background and with a deadline. The system's lookup can hang for a minute and
// cannot be stopped, so each runs in a thread of its own that nobody waits for.
// Included by net/ alone: it carries Asio.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include "net/lookup.h"
#include "util/time.h"

namespace spv::net {

class Resolver {
 public:
  Resolver(boost::asio::io_context& io, Lookup lookup);
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  ~Resolver();

  /// The addresses of a name, or the reason why there are none; an address in digits is its own answer.
  boost::asio::awaitable<LookupResult> resolve(std::string name, util::Duration limit);
  /// What `work`, done in a thread of its own, gives; an error if the limit is up before. The thread is not waited for.
  boost::asio::awaitable<LookupResult> in_thread(std::function<LookupResult()> work, util::Duration limit);

 private:
  struct Door;  // by which threads come back, closed when the resolver goes

  boost::asio::io_context& io_;
  Lookup lookup_;
  std::shared_ptr<Door> door_;
};

}  // namespace spv::net
