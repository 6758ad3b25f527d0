#include "wallet/script_table.h"

#include <functional>
#include <string_view>
#include <utility>

namespace spv::wallet {
namespace {

std::size_t slots_for(std::size_t count) { return count + count / 2 + 1; }

}  // namespace

ScriptTable::ScriptTable(std::vector<ScriptList> chains) : chains_(std::move(chains)), slots_(slots_for(0)) {
  std::size_t count = 0;
  for (ScriptList& scripts : chains_) {
    scripts.shrink();
    count += scripts.size();
  }
  make_room(count);
  for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
    for (std::size_t index = 0; index < chains_[chain].size(); ++index) enter(chain, index);
  }
}

void ScriptTable::reserve(std::size_t chain, std::size_t count) {
  ScriptList& scripts = chains_[chain];
  scripts.reserve(count);
  if (count > scripts.size()) make_room(count - scripts.size());
}

void ScriptTable::add(std::size_t chain, util::ByteView script) {
  make_room(1);
  chains_[chain].push_back(script);
  enter(chain, chains_[chain].size() - 1);
}

std::size_t ScriptTable::home_of(util::ByteView script) const {
  const std::string_view text(reinterpret_cast<const char*>(script.data()), script.size());
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{std::hash<std::string_view>{}(text)} * slots_.size()) >> 64U);
}

void ScriptTable::make_room(std::size_t more) {
  if (slots_for(used_ + more) <= slots_.size()) return;
  // By half at least, so that one after the other is quick too.
  const std::size_t count = used_ + std::max(more, used_ / 2);
  const auto before = std::exchange(slots_, std::vector<Slot>(slots_for(count)));
  used_ = 0;
  for (const Slot& slot : before) {
    if (!slot.is_free()) enter(slot.chain, slot.index);
  }
}

void ScriptTable::enter(std::size_t chain, std::size_t index) {
  const util::ByteView script = chains_[chain][index];
  if (script.empty()) return;
  std::size_t slot = home_of(script);
  for (; !slots_[slot].is_free(); slot = next(slot)) {
    has_repeats_ = has_repeats_ || has(slots_[slot].chain, slots_[slot].index, script);
  }
  slots_[slot] = {.chain = static_cast<std::uint32_t>(chain), .index = static_cast<std::uint32_t>(index)};
  ++used_;
}

}  // namespace spv::wallet
