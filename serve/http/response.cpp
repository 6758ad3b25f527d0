#include "serve/http/response.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace spv::serve {

Response error_response(unsigned status, std::string_view code, std::string_view message) {
  Response response;
  response.status = status;
  response.body = R"({"error":{"code":)" + boost::json::serialize(boost::json::string_view(code.data(), code.size())) +
                  R"(,"message":)" + boost::json::serialize(boost::json::string_view(message.data(), message.size())) +
                  "}}\n";
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "5");
  return response;
}

Response method_not_allowed(std::string allowed) {
  Response response = error_response(405, "method-not-allowed", "this path takes " + allowed);
  response.headers.emplace_back("Allow", std::move(allowed));
  return response;
}

}  // namespace spv::serve
