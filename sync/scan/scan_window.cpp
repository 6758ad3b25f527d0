#include "sync/scan/scan_window.h"

#include <algorithm>
#include <cmath>

namespace spv::sync {
namespace {

constexpr double kMeanWeight = 1.0 / 64;
constexpr double kWholeMeanWeight = 1.0 / 8;
constexpr double kOutputsPerTransaction = 3;
// However small the blocks were so far, the next may have this many.
constexpr double kLeastTransactions = 1'000;
// And so many bytes, if it is a whole one.
constexpr double kLeastBytes = 100'000;
// Unless the way is so long that the peer would run out of work: then only so many.
constexpr double kLeastBytesOfNeeded = 5'000;
// However small the filters were so far, the next may have this many bytes.
constexpr double kLeastFilterBytes = 2'000;
// A filter with less than this share of its room left is renewed, before the window gets small.
constexpr double kLeastRoom = 0.5;
// And one that would have less than this when it is new is planned anew.
constexpr double kLeastFreshRoom = 0.75;

}  // namespace

// From fill^k = rate and n = -m/k · ln(1 - fill).
double ScanWindow::room_in(const bip37::BloomFilter& filter) const {
  const double functions = filter.hash_funcs();
  const double bits = static_cast<double>(filter.bits().size()) * 8;
  const double fill = std::min(std::pow(rate_limit_, 1 / functions), 1 - 1 / bits);
  const double capacity = -bits / functions * std::log1p(-fill);
  return std::max(capacity - filter.estimated_elements(), 0.0);
}

void ScanWindow::on_planned(const bip37::FilterPlan& plan) {
  rate_limit_ = bip37::highest_rate(plan);
  room_planned_ = room_in(plan.filter);
}

void ScanWindow::on_block(std::uint32_t transactions) {
  transactions_ += (static_cast<double>(transactions) - transactions_) * kMeanWeight;
}

void ScanWindow::on_whole_block(std::size_t bytes) {
  bytes_ += (static_cast<double>(bytes) - bytes_) * kWholeMeanWeight;
}

void ScanWindow::on_compact_filter(std::size_t bytes) {
  filter_bytes_ += (static_cast<double>(bytes) - filter_bytes_) * kMeanWeight;
}

std::size_t ScanWindow::compact_filters() const {
  const double filters = kCompactBytes / std::max(filter_bytes_, kLeastFilterBytes);
  return static_cast<std::size_t>(std::clamp(filters, 1.0, static_cast<double>(kMaxBlocks)));
}

std::size_t ScanWindow::whole_blocks(std::size_t needed) const {
  const double cautious = kWholeBytes / std::max(bytes_, kLeastBytes);
  const double most = kWholeBytes / std::max(bytes_, kLeastBytesOfNeeded);
  return static_cast<std::size_t>(std::max(std::clamp(static_cast<double>(needed), cautious, most), 4.0));
}

std::size_t ScanWindow::blocks(const bip37::FilterMirror& mirror) const {
  const double inserts_per_block = std::max(transactions_, kLeastTransactions) * kOutputsPerTransaction * rate_limit_;
  const double blocks = room_in(mirror.filter()) / inserts_per_block;
  return static_cast<std::size_t>(std::clamp(blocks, 1.0, static_cast<double>(kMaxBlocks)));
}

bool ScanWindow::is_used_up(const bip37::FilterMirror& mirror) const {
  return room_in(mirror.filter()) < room_planned_ * kLeastRoom;
}

bool ScanWindow::is_worn(const bip37::FilterMirror& known) const {
  return room_in(known.filter()) < room_planned_ * kLeastFreshRoom;
}

}  // namespace spv::sync
