// JSON-RPC 2.0 as the Electrum protocol uses it: one request, or a batch of them, a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "util/expected.h"

namespace spv::serve::electrum {

struct RpcError {
  int code = 0;
  std::string message;
  friend bool operator==(const RpcError&, const RpcError&) = default;
};

// Those of JSON-RPC, and the one that Electrum servers give for what they cannot do.
inline constexpr int kParseError = -32'700;
inline constexpr int kInvalidRequest = -32'600;
inline constexpr int kMethodNotFound = -32'601;
inline constexpr int kInvalidParams = -32'602;
inline constexpr int kCannot = 1;

struct Call {
  std::string id = "null";  // as JSON
  std::string method;
  boost::json::value params;     // a list or an object
  bool is_notification = false;  // nobody waits for an answer
};
/// A call that cannot be read, which is answered all the same.
struct BadCall {
  std::string id = "null";
  RpcError error;
};

struct Message {
  bool is_batch = false;
  std::vector<util::Expected<Call, BadCall>> calls;  // at least one
};

/// At most 16 levels deep, with a limited number of calls in a batch.
util::Expected<Message, RpcError> parse_message(std::string_view line, std::size_t most_calls);

// Without an end of line.
std::string result_text(const std::string& id, const boost::json::value& result);
std::string error_text(const std::string& id, const RpcError& error);
std::string notification_text(std::string_view method, const boost::json::array& params);
/// The answers of a batch.
std::string batch_text(const std::vector<std::string>& answers);

}  // namespace spv::serve::electrum
