#include "cli/output/log_file.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "cli/error.h"
#include "cli/options/options.h"

namespace spv::cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A file that is put aside when it is full: NAME, NAME.1 and NAME.2, the oldest is overwritten.
class RotatingFile {
 public:
  explicit RotatingFile(std::string path) : path_(std::move(path)) { open(); }

  void write(const std::string& line) {
    if (regular_ && size_ > 0 && size_ + line.size() > kLogFileBytes) rotate();
    std::fwrite(line.data(), 1, line.size(), file_.get());
    std::fflush(file_.get());
    size_ += line.size();
  }

 private:
  void open() {
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    file_.reset(fd < 0 ? nullptr : fdopen(fd, "a"));
    if (!file_) {
      throw CommandError(ExitCode::Failed, "log-file",
                         "cannot open the log file '" + path_ + "': " + std::strerror(errno));
    }
    struct stat status {};
    regular_ = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);  // a device or a pipe is never moved
    size_ = regular_ ? static_cast<std::size_t>(status.st_size) : 0;
  }

  void rotate() {
    for (int i = kLogFiles - 1; i > 0; --i) {
      const std::string from = i == 1 ? path_ : fmt::format("{}.{}", path_, i - 1);
      static_cast<void>(std::rename(from.c_str(), fmt::format("{}.{}", path_, i).c_str()) == 0);
    }
    open();
  }

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  bool regular_ = false;
  std::size_t size_ = 0;
};

// "2026-11-18T03:33:16.123Z"
std::string time_text() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
  const auto whole = now.time_since_epoch().count();
  const auto seconds = static_cast<std::time_t>(whole / 1'000);
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, whole % 1'000);
}

/// Limits the lines per second; the ones left out are counted, and the count is logged.
class LineBudget {
 public:
  /// How many lines were left out before this one, or nullopt if this one is left out too.
  std::optional<std::size_t> take() {
    const auto now = std::chrono::steady_clock::now();
    if (now - began_ >= std::chrono::seconds(1)) {
      began_ = now;
      used_ = 0;
    }
    if (used_ >= kLogLinesPerSecond) {
      ++left_out_;
      return std::nullopt;
    }
    ++used_;
    return std::exchange(left_out_, 0);
  }

 private:
  std::chrono::steady_clock::time_point began_{};
  std::size_t used_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

util::LogSink open_log(const CommonOptions& common) {
  std::shared_ptr<RotatingFile> file;
  if (!common.log_file.empty()) file = std::make_shared<RotatingFile>(common.log_file);
  const auto budget = std::make_shared<LineBudget>();
  return [file, budget, level = common.log_level](util::LogLevel at, std::string_view text) {
    if (at < level) return;
    const auto left_out = budget->take();
    if (!left_out) return;
    std::string line =
        *left_out > 0 ? fmt::format("{} {}: ({} lines left out)\n", time_text(), to_string(at), *left_out) : "";
    line += fmt::format("{} {}: {}\n", time_text(), to_string(at), text);
    if (file) {
      file->write(line);
    } else {
      std::fwrite(line.data(), 1, line.size(), stderr);
    }
  };
}

std::function<void(int, std::string_view)> library_log(const CommonOptions& common) {
  return [log = open_log(common)](int level, std::string_view text) { log(static_cast<util::LogLevel>(level), text); };
}

}  // namespace spv::cli
