#include "tests/support/vectors.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "util/ensure.h"
#include "util/hex.h"

namespace spv::test {

std::optional<std::string> vector_file(std::string_view name) {
  const char* folder = std::getenv("SPV_VECTORS");
  const std::filesystem::path root =
      folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(SPV_SOURCE_DIR) / "../shared/vectors";
  const auto path = root / name;
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  return path.string();
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  util::ensure(in.good(), "a test file cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

util::Bytes read_binary(const std::string& path) { return util::to_bytes(util::as_bytes(read_text(path))); }

boost::json::value read_json(const std::string& path) { return boost::json::parse(read_text(path)); }

util::Bytes hex(std::string_view text) {
  const auto bytes = util::from_hex(text);
  util::ensure(bytes.has_value(), "bad hex in a test");
  return *bytes;
}

}  // namespace spv::test
