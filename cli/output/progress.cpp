#include "cli/output/progress.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/terminal.h"
#include "net/driver.h"

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

std::string transports(const sync::Engine& engine, const net::Driver& driver) {
  std::set<std::string> seen;
  for (const auto& peer : engine.peers()) seen.insert(driver.transport(peer.address));
  std::string out;
  for (const auto& each : seen) {
    if (!each.empty()) out += (out.empty() ? "" : ", ") + each;
  }
  return out;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, util::Now now)
    : quiet_(quiet), terminal_(obeys_escapes(STDERR_FILENO)), last_line_(now.monotonic) {}

ProgressFacts ProgressLine::facts(const sync::Engine& engine, const net::Driver& driver, util::Now now) {
  ProgressFacts facts;
  facts.progress = engine.progress();
  if (facts.progress.headers_done && !scan_start_) scan_start_ = facts.progress.scanned + 1;
  if (facts.progress.headers_done != counts_blocks_) rate_ = Rate();
  counts_blocks_ = facts.progress.headers_done;
  rate_.note(counts_blocks_ ? facts.progress.scanned : facts.progress.header_height, now.monotonic);
  const auto& counters = engine.scan_counters();
  facts.scan_start = counters.scanned_from >= 0 ? counters.scanned_from : scan_start_.value_or(0);
  facts.rate = rate_.per_second();
  facts.transport = transports(engine, driver);
  facts.fp_rate = observed_fp_rate(counters);
  facts.bytes_in = driver.traffic().bytes_in;
  return facts;
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

void ProgressLine::update(const sync::Engine& engine, const net::Driver& driver, util::Now now) {
  if (quiet_) return;
  const ProgressFacts now_at = facts(engine, driver, now);
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
