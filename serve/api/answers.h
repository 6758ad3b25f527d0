// Answers: JSON documents and errors of the client as responses.
#pragma once

#include <spv/result.h>
#include <string>

#include <boost/json/fwd.hpp>

#include "serve/api/json_body.h"
#include "serve/http/response.h"

namespace spv::serve {

Response json_response(const boost::json::value& document, unsigned status = 200);
/// 204.
Response empty_response();
Response to_response(const Error& error);
Response to_response(const BadRequest& error);

}  // namespace spv::serve
