// The description of the API for programs: OpenAPI 3.1, as openapi.json has it.
#pragma once

#include <string_view>

namespace spv::serve {

std::string_view openapi_text();

}  // namespace spv::serve
