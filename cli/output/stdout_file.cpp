#include "cli/output/stdout_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "cli/error.h"
#include "cli/output/text.h"

namespace spv::cli {

void reserve_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free, which is this one: those below it are open by now.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      ::_exit(static_cast<int>(ExitCode::Failed));
  }
}

void flush_stdout() {
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return;
  // errno is of this call; why one before it failed, nobody has kept.
  throw CommandError(
      ExitCode::Failed, "output",
      std::string("cannot write the output: ") + (flushed ? "part of it is lost" : std::strerror(error)));
}

void print_note(const std::string& text) { std::fprintf(stderr, "note: %s\n", to_line(text).c_str()); }

}  // namespace spv::cli
