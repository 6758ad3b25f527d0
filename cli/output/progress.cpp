#include "cli/output/progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "cli/output/terminal.h"

namespace spv::cli {
namespace {

constexpr util::Duration kLineInterval = std::chrono::seconds(10);
/// The width of a line in a file.
constexpr std::size_t kNoTerminalWidth = 160;

// Asked anew for every line: the window may have been resized.
std::size_t window_width() { return terminal_width(STDERR_FILENO).value_or(0); }

// In one write, so that no half-drawn line is ever seen.
void write_to_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, util::Now now)
    : quiet_(quiet), terminal_(obeys_escapes(STDERR_FILENO)), last_line_(now.monotonic) {}

ProgressFacts ProgressLine::facts(const client::SyncProgress& progress, util::Now now) {
  if (!scan_start_) scan_start_ = std::max(progress.scanned + 1, progress.first_header);
  if (progress.counts.scanned_from >= 0) scan_start_ = progress.counts.scanned_from;
  if (progress.headers_done != counts_blocks_) rate_ = Rate();
  counts_blocks_ = progress.headers_done;
  rate_.note(counts_blocks_ ? progress.scanned : progress.header_height, now.monotonic);
  const Work work = work_of(progress, *scan_start_);
  work_rate_.note(work.done, now.monotonic);
  share_ = progress.at_rest ? 0 : std::max(share_, work.share());
  ProgressFacts out;
  out.progress = progress;
  out.scan_start = *scan_start_;
  out.rate = rate_.per_second();
  out.least_share = share_;
  out.left = time_left(work);
  if (progress.waits_until) {
    out.wait_left = std::chrono::duration<double>(*progress.waits_until - now.monotonic).count();
  }
  return out;
}

std::optional<double> ProgressLine::time_left(const Work& work) const {
  const auto rate = work_rate_.per_second();
  if (!rate || *rate <= 0 || work.done >= work.total) return std::nullopt;
  return (work.total - work.done) / *rate;
}

std::string ProgressLine::back_to_start(std::size_t width) const {
  const std::size_t rows = width < drawn_width_ && width > 0 ? (drawn_.size() + width - 1) / width : 1;
  return rows > 1 ? fmt::format("\x1b[{}A\r\x1b[J", rows - 1) : std::string("\r");
}

void ProgressLine::draw(const std::string& line, std::size_t width) {
  if (line == drawn_ && width == drawn_width_) return;
  // The old text is overwritten, not cleared first, and the rest of the line is cleared after the new one.
  write_to_stderr((drawn_.empty() ? "\r" : back_to_start(width)) + line + "\x1b[K");
  drawn_ = line;
  drawn_width_ = width;
}

void ProgressLine::update(const client::SyncProgress& progress, util::Now now, std::string waits_for) {
  if (quiet_) return;
  ProgressFacts now_at = facts(progress, now);
  now_at.waits_for = std::move(waits_for);
  if (terminal_) {
    const std::size_t width = window_width();
    draw(progress_text(now_at, std::max<std::size_t>(width, 2) - 1), width);
  } else if (now.monotonic - last_line_ >= kLineInterval) {
    last_line_ = now.monotonic;
    write_to_stderr(progress_text(now_at, kNoTerminalWidth) + "\n");
  }
}

void ProgressLine::clear() {
  if (!drawn_.empty()) write_to_stderr(back_to_start(window_width()) + "\x1b[K");
  drawn_.clear();
}

}  // namespace spv::cli
