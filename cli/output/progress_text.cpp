#include "cli/output/progress_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace spv::cli {
namespace {

constexpr util::Duration kRateWindow = std::chrono::seconds(10);
constexpr std::size_t kBarCells = 24;

/// A part of the line; those with the highest number are dropped first when there is no room.
struct Part {
  std::string text;
  int importance;
};

std::string bar(double share) {
  const auto done = static_cast<std::size_t>(std::floor(share * static_cast<double>(kBarCells)));
  return "[" + std::string(done, '#') + std::string(kBarCells - done, '.') + "]";
}

// One bar for the whole sync, and what is done at the moment.
void add_progress(const ProgressFacts& facts, const char* what, double done, double total, std::vector<Part>& parts) {
  const double share = std::max(facts.least_share, work_of(facts.progress, facts.scan_start).share());
  parts.push_back({bar(share), 2});
  parts.push_back({fmt::format("{:.0f}%", std::floor(100 * share)), 1});
  parts.push_back({fmt::format("{} {}/{}", what, grouped(static_cast<std::uint64_t>(done)),
                               grouped(static_cast<std::uint64_t>(total))),
                   0});
  if (facts.rate && *facts.rate > 0) parts.push_back({grouped(static_cast<std::uint64_t>(*facts.rate)) + "/s", 4});
  if (facts.left) parts.push_back({duration_text(*facts.left) + " left", 3});
}

void add_wait(const ProgressFacts& facts, std::vector<Part>& parts) {
  const auto block = static_cast<std::uint64_t>(std::max(0, facts.progress.scanned));
  parts.push_back({fmt::format("at block {}", grouped(block)), 0});
  if (!facts.waits_for.empty()) return parts.push_back({"waiting for " + facts.waits_for, 1});
  if (!facts.wait_left) return;
  parts.push_back({fmt::format("waiting up to {:.0f} s for unconfirmed transactions", std::ceil(*facts.wait_left)), 1});
  parts.push_back({"(Ctrl-C to stop)", 2});
}

std::string fitted(std::vector<Part> parts, std::size_t width) {
  const auto join = [&] {
    std::string line;
    for (const auto& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    return line;
  };
  std::string line = join();
  while (line.size() > width && parts.size() > 1) {
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.importance < b.importance; }));
    line = join();
  }
  line.resize(std::min(line.size(), width));
  return line;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", size / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.1f} GB", size / 1e9);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(std::ceil(seconds), 0.0, 359'999.0));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

void Rate::note(double done, util::TimePoint now) {
  if (!samples_.empty() && done < samples_.back().done) samples_.clear();  // another count, or a step back
  samples_.push_back({now, done});
  while (samples_.size() > 2 && now - samples_.front().at > kRateWindow) samples_.pop_front();
}

std::optional<double> Rate::per_second() const {
  if (samples_.size() < 2) return std::nullopt;
  const double elapsed = std::chrono::duration<double>(samples_.back().at - samples_.front().at).count();
  if (elapsed <= 0) return std::nullopt;
  return (samples_.back().done - samples_.front().done) / elapsed;
}

double Work::share() const { return total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1; }

Work work_of(const client::SyncProgress& progress, chain::Height scan_start) {
  /// A filtered block takes about as long as so many headers.
  constexpr double kBlockWeight = 20;
  const double top =
      progress.headers_done ? progress.header_height : std::max(progress.header_height, progress.announced_height);
  const auto headers = static_cast<double>(progress.headers_added);
  const double blocks = std::max(0.0, top - scan_start + 1);
  const double scanned = std::clamp<double>(progress.scanned - scan_start + 1, 0, blocks);
  return {headers + kBlockWeight * scanned, headers + (top - progress.header_height) + kBlockWeight * blocks};
}

std::string progress_text(const ProgressFacts& facts, std::size_t width) {
  const auto& progress = facts.progress;
  std::vector<Part> parts;
  if (progress.ready_peers == 0) {
    parts.push_back({"looking for peers", 0});
  } else if (!progress.headers_done) {
    add_progress(facts, "headers", progress.header_height, std::max(progress.header_height, progress.announced_height),
                 parts);
  } else if (progress.scanned < progress.header_height) {
    add_progress(facts, "blocks", std::max(0, progress.scanned - facts.scan_start + 1),
                 std::max(1, progress.header_height - facts.scan_start + 1), parts);
  } else {
    add_wait(facts, parts);
  }
  std::string peers = fmt::format("{} peer{}", progress.ready_peers, progress.ready_peers == 1 ? "" : "s");
  if (!progress.transports.empty()) peers += " (" + progress.transports + ")";
  if (progress.ready_peers > 0) parts.push_back({peers, 6});
  const auto fp_rate = client::observed_fp_rate(progress.counts);
  if (fp_rate) parts.push_back({fmt::format("false positives {:.2g}", *fp_rate), 7});
  parts.push_back({bytes_text(progress.bytes.in), 5});
  return fitted(std::move(parts), width);
}

}  // namespace spv::cli
