#include "cli/log_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::shared_ptr<std::FILE> open_private(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  std::FILE* file = fd < 0 ? nullptr : fdopen(fd, "a");
  if (file == nullptr) {
    throw CommandError(ExitCode::Failed, "log-file",
                       "cannot open the log file '" + path + "': " + std::strerror(errno));
  }
  return {file, Closer{}};
}

}  // namespace

util::LogSink open_log(const CommonOptions& common) {
  std::shared_ptr<std::FILE> file;
  if (!common.log_file.empty()) file = open_private(common.log_file);
  return [file, level = common.log_level](util::LogLevel at, std::string_view text) {
    if (at < level) return;
    std::FILE* out = file ? file.get() : stderr;
    fmt::print(out, "{}: {}\n", to_string(at), text);
    std::fflush(out);
  };
}

}  // namespace spv::cli
