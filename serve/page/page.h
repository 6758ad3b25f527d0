// Page: serves the embedded files of the page, index.html as "/". They need no token: there is nothing secret in them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "serve/http/request.h"
#include "serve/http/response.h"
#include "serve/page/page_file.h"

namespace spv::serve {

/// What the browser may do with the page: our own scripts, styles and requests, and nothing inline.
inline constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

class Page {
 public:
  explicit Page(const std::vector<PageFile>& files = web_files()) : files_(files) {}

  /// Whether this path is a file of the page.
  [[nodiscard]] bool has(const Request& request) const { return find(request) != nullptr; }
  /// Nothing if the path is none of ours.
  [[nodiscard]] std::optional<Response> answer(const Request& request) const;

 private:
  [[nodiscard]] const PageFile* find(const Request& request) const;

  const std::vector<PageFile>& files_;
};

}  // namespace spv::serve
