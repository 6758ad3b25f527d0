// The large public vector sets: read from $SPV_VECTORS (default ../shared/vectors beside the checkout) where they
// are; a test whose file is absent skips and says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "util/bytes.h"

namespace spv::test {

/// The path of a vector file such as "bip37/core_bloom.json", if it is there.
std::optional<std::string> vector_file(std::string_view name);
/// The whole file; aborts the test program if it cannot be read.
std::string read_text(const std::string& path);
util::Bytes read_binary(const std::string& path);
boost::json::value read_json(const std::string& path);

/// Bytes of a hex literal; aborts on bad hex, which is a mistake in a test.
util::Bytes hex(std::string_view text);
inline util::Bytes hex(const char* text) { return hex(std::string_view(text)); }
inline util::Bytes hex(const boost::json::value& text) { return hex(std::string_view(text.as_string())); }

}  // namespace spv::test

/// Skips the running test, with the reason, if a vector file is absent; else declares `path`.
#define SPV_VECTOR_FILE_OR_SKIP(path, name)                                                         \
  const auto path##_found = ::spv::test::vector_file(name);                                         \
  if (!path##_found) GTEST_SKIP() << "no " << (name) << " below $SPV_VECTORS or ../shared/vectors"; \
  const std::string& path = *path##_found
