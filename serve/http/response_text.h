// The head of an answer as it is sent.
#pragma once

#include <string>
#include <string_view>

#include "serve/http/response.h"

namespace spv::serve {

struct HeadForm {
  bool closes = false;     // the connection ends after it
  bool is_stream = false;  // the body ends with the connection
};

/// Replaces `out`, whose memory is used again.
void write_head(std::string& out, const Response& response, HeadForm form);
/// Whether an answer of this status has a body.
bool has_body(unsigned status);

}  // namespace spv::serve
