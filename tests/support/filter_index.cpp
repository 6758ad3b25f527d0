#include "tests/support/filter_index.h"

#include "util/ensure.h"

namespace spv::test {

const FilterIndex::Entry& FilterIndex::Entry::ancestor(chain::Height at) const {
  util::ensure(at >= 0 && at <= height, "an ancestor is not above its descendant");
  const Entry* entry = this;
  while (entry->height > at) entry = entry->previous;
  return *entry;
}

const FilterIndex::Entry* FilterIndex::find(const chain::BlockHash& block) const {
  const auto found = entries_.find(block);
  return found == entries_.end() ? nullptr : &found->second;
}

const FilterIndex::Entry& FilterIndex::add(const Block& block) {
  const Entry* const previous = block.height == 0 ? nullptr : find(block.header.previous);
  util::ensure(block.height == 0 || previous != nullptr, "a filter follows that of the block before");
  const auto [place, is_new] = entries_.try_emplace(block.hash);
  Entry& entry = place->second;
  if (!is_new) return entry;
  entry.height = block.height;
  entry.block = block.hash;
  entry.previous = previous;
  for (std::size_t n = 0; n < block.txs.size(); ++n) {
    const auto& outputs = block.txs[n].outputs;
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
      outputs_.emplace(chain::OutPoint{block.txids[n], i}, Made{&entry, outputs[i].script_pubkey});
    }
  }
  auto scripts = scripts_of(block, entry);
  if (forge_) forge_(block, scripts);
  bip158::BasicFilterBuilder builder;
  for (const auto& script : scripts) builder.add_spent(script);
  entry.filter = builder.build(block.hash);
  entry.hash = bip158::filter_hash(entry.filter);
  entry.header = bip158::filter_header(entry.hash, previous == nullptr ? util::FilterHeader{} : previous->header);
  return entry;
}

const util::Bytes* FilterIndex::script_of(const chain::OutPoint& outpoint, const Entry& spender) const {
  const auto [begin, end] = outputs_.equal_range(outpoint);
  for (auto made = begin; made != end; ++made) {
    const Entry& in = *made->second.in;
    if (in.height <= spender.height && &spender.ancestor(in.height) == &in) return &made->second.script;
  }
  return nullptr;
}

std::vector<util::Bytes> FilterIndex::scripts_of(const Block& block, const Entry& entry) const {
  std::vector<util::Bytes> scripts;
  for (const auto& tx : block.txs) {
    for (const auto& output : tx.outputs) {
      if (bip158::holds_output(output.script_pubkey)) scripts.push_back(output.script_pubkey);
    }
    if (tx.is_coinbase()) continue;
    for (const auto& input : tx.inputs) {
      const auto* script = script_of(input.previous, entry);
      if (script != nullptr && bip158::holds_spent(*script)) scripts.push_back(*script);
    }
  }
  return scripts;
}

}  // namespace spv::test
