#include "bip158/filter_header_store.h"

#include "util/ensure.h"

namespace spv::bip158 {

util::FilterHeader MemoryFilterHeaders::at(chain::Height height) const {
  util::ensure(height >= base_height_ && height <= tip_height(), "no filter header at this height");
  return headers_[static_cast<std::size_t>(height - base_height_)];
}

void MemoryFilterHeaders::replace_above(chain::Height fork, std::span<const util::FilterHeader> headers) {
  util::ensure(fork >= base_height_ - 1 && fork <= tip_height(), "filter headers follow those that are there");
  headers_.resize(static_cast<std::size_t>(fork - base_height_ + 1));
  headers_.insert(headers_.end(), headers.begin(), headers.end());
}

}  // namespace spv::bip158
