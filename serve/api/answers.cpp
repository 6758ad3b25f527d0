#include "serve/api/answers.h"

#include <boost/json.hpp>

#include "report/json_text.h"

namespace spv::serve {
namespace {

struct Status {
  unsigned status = 500;
  const char* code = "internal";
};

Status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::WrongNetwork:
      return {400, "bad-request"};
    case ErrorCode::NotFound:
      return {404, "not-found"};
    case ErrorCode::Exists:
      return {409, "exists"};
    case ErrorCode::Locked:
      return {409, "locked"};
    case ErrorCode::State:
      return {409, "conflict"};
    case ErrorCode::Refused:
    case ErrorCode::InvalidPsbt:
    case ErrorCode::Secret:
    case ErrorCode::InvalidProof:
      return {422, "refused"};
    case ErrorCode::Storage:
      return {503, "storage"};
    case ErrorCode::Network:
    case ErrorCode::Timeout:
    case ErrorCode::Budget:
    case ErrorCode::Clock:
      return {503, "network"};
    case ErrorCode::Damaged:
      return {500, "damaged"};
    case ErrorCode::Unsupported:
    case ErrorCode::Internal:
      break;
  }
  return {};
}

}  // namespace

Response json_response(const boost::json::value& document, unsigned status) {
  return {.status = status, .body = report::json_text(document), .headers = {}};
}

Response empty_response() { return {.status = 204, .content_type = "", .body = {}, .headers = {}}; }

Response to_response(const Error& error) {
  const auto [status, code] = status_of(error.code);
  return error_response(status, code, error.message);
}

Response to_response(const BadRequest& error) { return error_response(400, "bad-request", error.message); }

}  // namespace spv::serve
