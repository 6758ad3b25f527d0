#include "cli/progress.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace spv::cli {
namespace {

constexpr util::Duration kLineInterval = std::chrono::seconds(10);

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

double seconds(util::Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

ProgressLine::ProgressLine(bool quiet, util::Now now)
    : quiet_(quiet), terminal_(is_terminal()), last_line_(now.monotonic) {}

std::string ProgressLine::text(const sync::Progress& progress, const net::Traffic& traffic, util::Now now) {
  if (!progress.headers_done) {
    return fmt::format("headers {}  peers {}  {}", progress.header_height, progress.ready_peers,
                       bytes_text(traffic.bytes_in));
  }
  if (!scan_start_) {
    scan_start_ = progress.scanned;
    scan_started_ = now.monotonic;
  }
  const double elapsed = seconds(now.monotonic - scan_started_);
  const double done = std::max(0, progress.scanned - *scan_start_);
  const double rate = elapsed > 0 ? done / elapsed : 0;
  std::string line = fmt::format("blocks {}/{}", std::max(0, progress.scanned), progress.header_height);
  if (rate > 0 && progress.scanned < progress.header_height) {
    line += fmt::format("  {:.0f}/s  {:.0f} s left", rate, (progress.header_height - progress.scanned) / rate);
  }
  return line + fmt::format("  peers {}  {}", progress.ready_peers, bytes_text(traffic.bytes_in));
}

void ProgressLine::update(const sync::Progress& progress, const net::Traffic& traffic, util::Now now) {
  if (quiet_) return;
  std::string line = text(progress, traffic, now);
  if (terminal_) {
    line.resize(std::min(line.size(), terminal_width() - 1));
    fmt::print(stderr, "\r{}\x1b[K", line);
    drawn_ = true;
  } else if (now.monotonic - last_line_ >= kLineInterval) {
    last_line_ = now.monotonic;
    fmt::print(stderr, "{}\n", line);
  }
}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace spv::cli
