#include "serve/http/request.h"

namespace spv::serve {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Head:
      return "HEAD";
    case Method::Post:
      return "POST";
    case Method::Put:
      return "PUT";
    case Method::Delete:
      return "DELETE";
    case Method::Other:
      break;
  }
  return "OTHER";
}

}  // namespace spv::serve
