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

void add_progress(const char* what, double done, double total, std::optional<double> rate, std::vector<Part>& parts) {
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1;
  parts.push_back({fmt::format("{} {}/{}", what, grouped(static_cast<std::uint64_t>(done)),
                               grouped(static_cast<std::uint64_t>(total))),
                   0});
  parts.push_back({bar(share), 9});
  parts.push_back({fmt::format("{:.0f} %", std::floor(100 * share)), 1});
  if (!rate || *rate <= 0) return;
  parts.push_back({grouped(static_cast<std::uint64_t>(*rate)) + "/s", 4});
  if (done < total) parts.push_back({duration_text((total - done) / *rate) + " left", 2});
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

std::string progress_text(const ProgressFacts& facts, std::size_t width) {
  const auto& progress = facts.progress;
  std::vector<Part> parts;
  if (progress.ready_peers == 0) {
    parts.push_back({"looking for nodes", 0});
  } else if (!progress.headers_done) {
    add_progress("headers", progress.header_height, std::max(progress.header_height, progress.announced_height),
                 facts.rate, parts);
  } else if (progress.scanned < progress.header_height) {
    add_progress("blocks", std::max(0, progress.scanned - facts.scan_start + 1),
                 std::max(1, progress.header_height - facts.scan_start + 1), facts.rate, parts);
  } else {
    parts.push_back(
        {fmt::format("at block {}", grouped(static_cast<std::uint64_t>(std::max(0, progress.scanned)))), 0});
    parts.push_back({"waiting for unconfirmed transactions", 1});
  }
  std::string peers = fmt::format("{} peer{}", progress.ready_peers, progress.ready_peers == 1 ? "" : "s");
  if (!progress.transports.empty()) peers += " (" + progress.transports + ")";
  if (progress.ready_peers > 0) parts.push_back({peers, 5});
  const auto fp_rate = client::observed_fp_rate(progress.counts);
  if (fp_rate) parts.push_back({fmt::format("false positives {:.2g}", *fp_rate), 7});
  parts.push_back({bytes_text(progress.bytes.in), 3});
  return fitted(std::move(parts), width);
}

}  // namespace spv::cli
