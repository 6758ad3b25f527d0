#include "cli/output/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace spv::cli {
namespace {

/// For a terminal that does not report its width.
constexpr std::size_t kUsualWidth = 80;

}  // namespace

std::optional<std::size_t> terminal_width(int fd) {
  if (::isatty(fd) != 1) return std::nullopt;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

bool obeys_escapes(int fd) {
  const char* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

bool wants_colour(int fd) {
  const char* refusal = std::getenv("NO_COLOR");
  return obeys_escapes(fd) && (refusal == nullptr || *refusal == '\0');
}

}  // namespace spv::cli
