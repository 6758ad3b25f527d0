// PageFile: a file of the page, embedded into the program at build time (tools/embed_files.py).
#pragma once

#include <string_view>
#include <vector>

namespace spv::serve {

struct PageFile {
  std::string_view name;  // "app.js"
  std::string_view content_type;
  std::string_view etag;  // a hash of the contents
  std::string_view plain;
  std::string_view packed;  // by gzip; empty: not smaller
};

/// The files of web/.
const std::vector<PageFile>& web_files();

}  // namespace spv::serve
