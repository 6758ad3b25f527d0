// ServerOptions: where the server listens, its limits, and what it asks and reports.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "serve/http/request.h"
#include "serve/http/request_record.h"

namespace spv::serve {

struct Limits {
  std::size_t connections = 1'000;  // without those that have become streams
  std::size_t streams = 1'500;
  std::size_t head_bytes = 8'192;
  std::size_t body_bytes = 1'048'576;
  std::size_t login_bytes = 8'192;                   // of a body that is read without a token
  std::size_t queue_bytes = 262'144;                 // that may wait for one stream
  std::chrono::milliseconds request_time{30'000};    // for head and body together, from the first byte
  std::chrono::milliseconds idle_time{60'000};       // between two requests of a connection
  std::chrono::milliseconds write_time{30'000};      // for an answer, or a piece of a stream
  std::chrono::milliseconds last_words_time{5'000};  // for a stream that is cut off
  std::chrono::milliseconds linger_time{2'000};      // for a client to read an error before the connection is closed
  std::chrono::milliseconds stop_time{1'000};        // for answers and streams to end; twice that and all is closed
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, or "localhost"
  std::uint16_t port = 8'338;      // 0: any free one
  Limits limits;
  /// Which requests need neither token nor session, such as `GET /healthz`. Body and credentials are not in it yet.
  std::function<bool(const Request&)> is_open;
  std::function<void(const RequestRecord&)> log;
  std::function<void(const RequestRecord&)> measure;
  /// An exception that left the handler, for the log.
  std::function<void(std::string_view what)> report_failure;
};

}  // namespace spv::serve
