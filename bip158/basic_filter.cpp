#include "bip158/basic_filter.h"

#include <algorithm>

#include "bip158/gcs.h"
#include "util/hash.h"

namespace spv::bip158 {
namespace {

constexpr std::uint8_t kOpReturn = 0x6A;

}  // namespace

bool holds_output(util::ByteView script) { return !script.empty() && script.front() != kOpReturn; }

void BasicFilterBuilder::add_output(util::ByteView script) {
  if (holds_output(script)) elements_.push_back(script);
}

void BasicFilterBuilder::add_spent(util::ByteView script) {
  if (holds_spent(script)) elements_.push_back(script);
}

util::Bytes BasicFilterBuilder::build(const chain::BlockHash& block) {
  std::ranges::sort(elements_, [](auto a, auto b) { return std::ranges::lexicographical_compare(a, b); });
  const auto repeated = std::ranges::unique(elements_, [](auto a, auto b) { return std::ranges::equal(a, b); });
  elements_.erase(repeated.begin(), repeated.end());
  const Key key = Key::of(block);
  std::vector<std::uint64_t> values;
  values.reserve(elements_.size());
  for (const auto element : elements_) values.push_back(to_range(siphash(key, element), elements_.size()));
  std::ranges::sort(values);
  return encode_gcs(values);
}

util::Bytes basic_filter(const chain::BlockHash& block, std::span<const chain::Transaction> txs,
                         std::span<const util::Bytes> spent) {
  BasicFilterBuilder builder;
  for (const auto& tx : txs) {
    for (const auto& output : tx.outputs) builder.add_output(output.script_pubkey);
  }
  for (const auto& script : spent) builder.add_spent(script);
  return builder.build(block);
}

FilterHash filter_hash(util::ByteView filter) { return util::retag<FilterHash>(util::sha256d(filter)); }

FilterHeader filter_header(const FilterHash& hash, const FilterHeader& previous) {
  return util::retag<FilterHeader>(util::sha256d_pair(hash.view(), previous.view()));
}

}  // namespace spv::bip158
