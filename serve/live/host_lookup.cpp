#include "serve/live/host_lookup.h"

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <optional>
#include <thread>
#include <utility>

namespace spv::serve {
namespace {

namespace asio = boost::asio;
using Found = util::Expected<Endpoints, std::string>;

struct Lookup {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Found> found;
};

Found ask_system(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) return util::Unexpected{std::string(gai_strerror(error))};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  Endpoints endpoints;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (each->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
    endpoint.port(port);
    endpoints.push_back(endpoint);
  }
  return endpoints;
}

}  // namespace

Found look_up_host(const std::string& host, std::uint16_t port, std::chrono::milliseconds limit,
                   const std::stop_token& stopping) {
  boost::system::error_code not_digits;
  const auto address = asio::ip::make_address(host, not_digits);
  if (!not_digits) return Endpoints{{address, port}};
  const auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host, port] {
    auto found = ask_system(host, port);
    const std::lock_guard lock(lookup->mutex);
    lookup->found = std::move(found);
    lookup->changed.notify_all();
  }).detach();
  std::unique_lock lock(lookup->mutex);
  lookup->changed.wait_for(lock, stopping, limit, [&] { return lookup->found.has_value(); });
  if (!lookup->found) return util::Unexpected{std::string("the name was not resolved in time")};
  return std::move(*lookup->found);
}

}  // namespace spv::serve
