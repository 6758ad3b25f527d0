#include "chain/header_store.h"

#include "util/ensure.h"

namespace spv::chain {

std::optional<Height> HeaderStore::find(const BlockHash& hash) const {
  for (Height height = tip_height(); height >= base_height(); --height) {
    if (hash_at(height) == hash) return height;
  }
  return std::nullopt;
}

MemoryHeaderStore::MemoryHeaderStore(Height base_height, const BlockHeader& base, const Uint256& base_work)
    : base_height_(base_height), headers_{base}, tip_hash_(base.hash()), tip_work_(base_work) {}

Height MemoryHeaderStore::tip_height() const { return base_height_ + static_cast<Height>(headers_.size()) - 1; }

BlockHeader MemoryHeaderStore::at(Height height) const {
  util::ensure(height >= base_height_ && height <= tip_height(), "no header at this height");
  return headers_[static_cast<std::size_t>(height - base_height_)];
}

BlockHash MemoryHeaderStore::hash_at(Height height) const {
  return height == tip_height() ? tip_hash_ : at(height + 1).previous;
}

void MemoryHeaderStore::replace_above(Height fork, std::span<const BlockHeader> headers, const BlockHash& tip_hash,
                                      const Uint256& tip_work) {
  util::ensure(fork >= base_height_ && fork <= tip_height(), "no header to fork from");
  headers_.resize(static_cast<std::size_t>(fork - base_height_) + 1);
  headers_.insert(headers_.end(), headers.begin(), headers.end());
  tip_hash_ = tip_hash;
  tip_work_ = tip_work;
}

}  // namespace spv::chain
