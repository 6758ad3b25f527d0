// A file that the user names, "-" for stdin.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "store/file_descriptor.h"

namespace spv::cli {

/// All of it, at most `limit` bytes; one more than that says that the file is longer. Else errno.
template <typename Buffer>
util::Expected<Buffer, int> read_input(const std::string& path, std::size_t limit) {
  if (path == "-") return store::read_up_to<Buffer>(STDIN_FILENO, limit);
  const store::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return util::Unexpected{errno};
  return store::read_up_to<Buffer>(file.get(), limit);
}

}  // namespace spv::cli
