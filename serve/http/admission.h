// admit(): which requests come through, decided from the head alone, before a body is read.
#pragma once

#include <optional>
#include <string_view>

#include "serve/http/access.h"
#include "serve/http/head.h"
#include "serve/http/options.h"
#include "serve/http/response.h"

namespace spv::serve {

/// Fills the request, and gives the refusal if it is not let through.
std::optional<Response> admit(const RequestHead& head, std::string_view local_address, const ServerOptions& options,
                              Access& access, util::TimePoint now, Request& request);

/// The path for the access log, without names and ids: "/v1/wallets/*".
std::string anonymous_path(const Request& request);

/// Whether it is /v1/session, which the server itself answers.
bool is_session_path(const Request& request);
/// `POST {"token"}` and `DELETE`.
Response answer_session(const Request& request, std::string_view cookie_header, Access& access, util::TimePoint now);

}  // namespace spv::serve
