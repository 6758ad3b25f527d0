#include "serve/electrum/json_rpc.h"

#include <utility>

#include <boost/json.hpp>

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxIdText = 256;
constexpr std::size_t kMaxMethodText = 128;

util::Unexpected<BadCall> bad(std::string id, std::string message) {
  return util::Unexpected{BadCall{std::move(id), {kInvalidRequest, std::move(message)}}};
}

std::optional<std::string> id_text(const json::value& id) {
  if (!id.is_string() && !id.is_number() && !id.is_null()) return std::nullopt;
  auto text = json::serialize(id);
  return text.size() > kMaxIdText ? std::nullopt : std::optional(std::move(text));
}

util::Expected<Call, BadCall> to_call(json::value&& value) {
  auto* object = value.if_object();
  if (object == nullptr) return bad("null", "a request must be an object");
  Call call;
  const auto* id = object->if_contains("id");
  call.is_notification = id == nullptr;
  if (id != nullptr) {
    auto text = id_text(*id);
    if (!text) return bad("null", "the id of a request must be a number or a short string");
    call.id = std::move(*text);
  }
  const auto* method = object->if_contains("method");
  if (method == nullptr || !method->is_string() || method->get_string().size() > kMaxMethodText) {
    return bad(call.id, "a request needs the name of a method");
  }
  call.method = std::string(method->get_string());
  auto* params = object->if_contains("params");
  if (params == nullptr || params->is_null()) {
    call.params = json::array();
  } else if (params->is_array() || params->is_object()) {
    call.params = std::move(*params);
  } else {
    return util::Unexpected{BadCall{call.id, {kInvalidParams, "params must be a list or an object"}}};
  }
  return call;
}

std::string head_of(const std::string& id) { return R"({"jsonrpc":"2.0","id":)" + id; }

}  // namespace

util::Expected<Message, RpcError> parse_message(std::string_view line, std::size_t most_calls) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code error;
  auto value = json::parse({line.data(), line.size()}, error, {}, options);
  if (error == json::error::too_deep) {
    return util::Unexpected{RpcError{kParseError, "more than 16 levels of JSON"}};
  }
  if (error) return util::Unexpected{RpcError{kParseError, "this is not JSON: " + error.message()}};
  Message message;
  message.is_batch = value.is_array();
  if (!message.is_batch) {
    message.calls.push_back(to_call(std::move(value)));
    return message;
  }
  auto& list = value.get_array();
  if (list.empty()) return util::Unexpected{RpcError{kInvalidRequest, "an empty batch"}};
  if (list.size() > most_calls) {
    return util::Unexpected{
        RpcError{kInvalidRequest, "a batch may have " + std::to_string(most_calls) + " requests at most"}};
  }
  message.calls.reserve(list.size());
  for (auto& each : list) message.calls.push_back(to_call(std::move(each)));
  return message;
}

std::string result_text(const std::string& id, const json::value& result) {
  return head_of(id) + R"(,"result":)" + json::serialize(result) + "}";
}

std::string error_text(const std::string& id, const RpcError& error) {
  return head_of(id) + R"(,"error":)" +
         json::serialize(json::object{{"code", error.code}, {"message", error.message}}) + "}";
}

std::string notification_text(std::string_view method, const json::array& params) {
  return json::serialize(json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::string batch_text(const std::vector<std::string>& answers) {
  std::string out = "[";
  for (const auto& each : answers) {
    if (out.size() > 1) out += ',';
    out += each;
  }
  return out + "]";
}

}  // namespace spv::serve::electrum
