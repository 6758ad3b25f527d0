#include "chain/branch_probe.h"

#include <utility>

namespace spv::chain {

BlockHash BranchProbe::next_after() const {
  if (!fetching_) return tip().hash;
  return headers_.empty() ? fork_.hash : last_hash_;
}

bool BranchProbe::extend(const BlockRef& tip, const Uint256& added_work, const HeaderContext& context) {
  if (marks_.size() == kMaxMarks) return false;
  marks_.push_back(tip);
  work_ = work_ + added_work;
  context_ = context;
  return true;
}

bool BranchProbe::fetch(std::span<const BlockHeader> headers) {
  for (const BlockHeader& header : headers) {
    if (next_mark_ == marks_.size()) return true;
    if (header.previous != next_after()) return false;
    headers_.push_back(header);
    last_hash_ = header.hash();
    const Height height = fork_.height + static_cast<Height>(headers_.size());
    if (height < marks_[next_mark_].height) continue;
    if (last_hash_ != marks_[next_mark_].hash) return false;
    ++next_mark_;
  }
  return true;
}

std::optional<std::vector<BlockHeader>> BranchProbe::take_headers() {
  if (next_mark_ < marks_.size()) return std::nullopt;
  return std::exchange(headers_, {});
}

}  // namespace spv::chain
