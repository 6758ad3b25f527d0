#include "sync/scan/filter_slices.h"

#include <algorithm>

#include "bip37/matcher.h"
#include "bip37/murmur3.h"
#include "util/ensure.h"

namespace spv::sync {
namespace {

// None of the seeds that a filter's own functions have, but by chance.
constexpr std::uint32_t kSliceSeed = 0x5B1C'E5ED;
// A filter has room for so many coins beside a slice's elements, as a share of these, before it lets more pass.
constexpr std::size_t kElementsPerCoin = 32;

bool matches(const ProvenTransaction& proven, bip37::BloomFilter filter) {
  return bip37::match_and_update(proven.tx, proven.txid, filter);
}

}  // namespace

// By their hash, so that an element stays in its slice as long as the number of slices does.
void FilterSlices::begin(chain::Height first, chain::Height last, std::vector<util::Bytes> elements,
                         std::size_t capacity) {
  const std::size_t count = (elements.size() + capacity - 1) / capacity;
  clear();
  slices_.resize(count);
  first_ = first;
  last_ = std::min(last, first + kStretch - 1);
  most_coins_ = std::max<std::size_t>(capacity / kElementsPerCoin, 1);
  for (auto& element : elements) slices_[bip37::murmur3(kSliceSeed, element) % count].push_back(std::move(element));
}

bool FilterSlices::next() {
  if (!holds()) {
    clear();
    return false;
  }
  ++pass_;
  coins_.clear();
  return true;
}

void FilterSlices::on_planned(const bip37::BloomFilter& filter) {
  if (planned() == nullptr) planned_.push_back(filter);
}

const bip37::BloomFilter* FilterSlices::planned() const {
  return planned_.size() == pass_ + 1 ? &planned_.back() : nullptr;
}

void FilterSlices::note_coins(const ProvenTransaction& proven) {
  util::ensure(planned() != nullptr, "what a pass finds it finds by a filter");
  bip37::BloomFilter filter = *planned();
  bip37::match_and_update(proven.tx, proven.txid, filter);
  for (std::uint32_t i = 0; i < proven.tx.outputs.size(); ++i) {
    const chain::OutPoint coin{.txid = proven.txid, .index = i};
    if (filter.contains(coin.bytes())) coins_.insert(coin);
  }
}

bool FilterSlices::spends_coin(const chain::Transaction& tx) const {
  return std::ranges::any_of(tx.inputs,
                             [this](const chain::TxInput& input) { return coins_.contains(input.previous); });
}

bool FilterSlices::covers(const ProvenTransaction& proven) const {
  return planned() != nullptr && (matches(proven, *planned()) || spends_coin(proven.tx));
}

bool FilterSlices::was_left_out(const ProvenTransaction& proven, const std::set<std::size_t>& passes) const {
  for (std::size_t pass = 0; pass < planned_.size(); ++pass) {
    if (!passes.contains(pass) && matches(proven, planned_[pass])) return true;
  }
  return false;
}

void FilterSlices::hold(ScannedBlock block) {
  if (block.matched.empty()) return;
  block.bytes = 0;
  for (auto& proven : block.matched) {
    for (auto& input : proven.tx.inputs) input.witness = {};
    block.bytes += proven.tx.serialized_size(chain::Witness::Strip);
  }
  held_bytes_ += block.bytes;
  held_[block.block.height].push_back({pass_, std::move(block)});
}

std::vector<FilterSlices::Part> FilterSlices::take(chain::Height height) {
  const auto found = held_.find(height);
  if (found == held_.end()) return {};
  std::vector<Part> parts = std::move(found->second);
  held_.erase(found);
  for (const auto& part : parts) held_bytes_ -= part.block.bytes;
  return parts;
}

void FilterSlices::on_block(chain::Height height) {
  // Later passes need their share too.
  const std::size_t most_bytes = kMaxHeldBytes / slices_.size() * (pass_ + 1);
  if (held_bytes_ > most_bytes || coins_.size() > most_coins_) cut(height);
}

void FilterSlices::cut(chain::Height last) {
  was_cut_ = was_cut_ || last < last_;
  last_ = std::min(last_, last);
  while (!held_.empty() && held_.rbegin()->first > last_) static_cast<void>(take(held_.rbegin()->first));
}

bool FilterSlices::attest(chain::Height height) {
  if (!active()) return true;
  if (++attested_[height] < slices_.size()) return false;
  attested_.erase(height);
  return true;
}

}  // namespace spv::sync
