#include "cli/commands/filter/input_lines.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

constexpr std::size_t kReadAtOnce = 65'536;

}  // namespace

std::optional<std::string_view> InputLines::next() {
  ++number_;
  for (;;) {
    const auto end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      const auto line = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return checked(line);
    }
    static_cast<void>(checked(std::string_view(buffer_).substr(at_)));  // no more of a line that is too long
    if (read_more()) continue;
    if (at_ == buffer_.size()) return std::nullopt;
    const auto last = std::string_view(buffer_).substr(at_);
    at_ = buffer_.size();
    return checked(last);
  }
}

std::string_view InputLines::checked(std::string_view line) const {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > longest_) throw UsageError(fmt::format("line {} is longer than {} characters", number_, longest_));
  return line;
}

bool InputLines::read_more() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadAtOnce);
  ssize_t got = 0;
  do {
    got = ::read(fd_, buffer_.data() + before, kReadAtOnce);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    throw CommandError(ExitCode::Failed, "input", std::string("cannot read stdin: ") + std::strerror(errno));
  }
  buffer_.resize(before + static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace spv::cli
