// The addresses of a host, with a time limit. The system's lookup can hang for a minute and cannot be stopped: it runs
// in a thread of its own that nobody waits for.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "util/expected.h"

namespace spv::serve {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// Waits; the error says why there are none.
util::Expected<Endpoints, std::string> look_up_host(const std::string& host, std::uint16_t port,
                                                    std::chrono::milliseconds limit, const std::stop_token& stopping);

}  // namespace spv::serve
