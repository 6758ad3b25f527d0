// Parts that the header files share: heads and slots with a checksum, and the private directory that they stand in.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "util/codec.h"
#include "util/hash.h"

namespace spv::store {

inline constexpr std::size_t kChecksumSize = 8;

/// Appends a checksum: a slot that was half written, or has a flipped bit, is not taken for one.
inline util::Bytes sealed(util::Writer out) {
  const auto checksum = util::sha256d(out.data());
  out.bytes(checksum.view().first(kChecksumSize));
  return out.take();
}

inline bool is_sealed(util::ByteView bytes) {
  const auto body = bytes.first(bytes.size() - kChecksumSize);
  const auto checksum = util::sha256d(body);
  return std::equal(body.end(), bytes.end(), checksum.bytes.begin());
}

/// Makes the directory of a file, for the owner only, if it is not there; gives the path back.
inline std::string with_private_directory(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  if (!directory.empty() && std::filesystem::create_directories(directory)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  }
  return path;
}

}  // namespace spv::store
