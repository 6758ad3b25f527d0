#include "wallet/key_ring.h"

#include <algorithm>
#include <utility>

#include "util/ensure.h"

namespace spv::wallet {
namespace {

// Indices of unhardened BIP32 children end here.
constexpr std::uint64_t kMaxScripts = std::uint64_t{1} << 31U;

std::uint64_t look_ahead(std::uint32_t gap_limit) { return std::uint64_t{kLookAheadFactor} * gap_limit; }

// How many scripts were used, counting the gaps between them.
std::uint64_t used_length(std::optional<std::uint32_t> last_used) {
  return last_used ? std::uint64_t{*last_used} + 1 : 0;
}

std::uint32_t widened(std::uint64_t watched, std::uint64_t used, std::uint32_t gap_limit) {
  if (used + gap_limit > watched) watched = std::max(2 * watched, used + look_ahead(gap_limit));
  return static_cast<std::uint32_t>(std::min(watched, kMaxScripts));
}

}  // namespace

std::size_t KeyRing::ScriptHash::operator()(util::ByteView script) const {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(script.data()), script.size()});
}

bool KeyRing::ScriptEqual::operator()(util::ByteView a, util::ByteView b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

KeyRing::KeyRing(std::vector<KeyChainConfig> chains, std::uint32_t gap_limit, std::vector<KeyChainState> states)
    : gap_limit_(gap_limit) {
  util::ensure(gap_limit > 0, "a gap limit of zero finds nothing");
  util::ensure(chains.size() == states.size(), "one state for each key chain");
  for (std::size_t i = 0; i < chains.size(); ++i) {
    KeyChainState state = states[i];
    const KeyChainState fresh = fresh_state(chains[i].descriptor, gap_limit);
    state.watched = std::max(state.watched, fresh.watched);
    if (chains[i].descriptor.is_ranged()) {
      state.watched = widened(state.watched, used_length(state.last_used), gap_limit);
    }
    chains_.push_back(Chain{.config = std::move(chains[i]), .state = state, .scripts = {}});
    derive(i);
  }
}

KeyChainState KeyRing::fresh_state(const Descriptor& descriptor, std::uint32_t gap_limit) {
  const std::uint64_t watched = descriptor.is_ranged() ? std::min(look_ahead(gap_limit), kMaxScripts) : 1;
  return {.watched = static_cast<std::uint32_t>(watched), .last_used = std::nullopt, .next_unissued = 0};
}

std::uint64_t KeyRing::max_watched(const Descriptor& descriptor, std::uint32_t gap_limit,
                                   std::optional<std::uint32_t> last_used) {
  if (!descriptor.is_ranged()) return 1;
  const std::uint64_t used = used_length(last_used);
  return std::min(std::max(used + look_ahead(gap_limit), 2 * (used + gap_limit)), kMaxScripts);
}

std::optional<KeyId> KeyRing::find(util::ByteView script) const {
  const auto found = by_script_.find(script);
  if (found == by_script_.end()) return std::nullopt;
  return found->second;
}

std::vector<KeyId> KeyRing::find_all(util::ByteView script) const {
  std::vector<KeyId> all;
  const auto first = find(script);
  if (!first) return all;
  all.push_back(*first);
  const auto others = shared_.find(script);
  if (others != shared_.end()) all.insert(all.end(), others->second.begin(), others->second.end());
  return all;
}

KeyRing::Use KeyRing::mark_used(const KeyId& id) {
  Chain& chain = chains_[id.chain];
  if (chain.state.last_used && *chain.state.last_used >= id.index) return {};
  chain.state.last_used = id.index;
  if (!chain.config.descriptor.is_ranged()) return {.changed = true, .widened = false};
  const std::uint32_t before = chain.state.watched;
  chain.state.watched = widened(before, used_length(id.index), gap_limit_);
  derive(id.chain);
  return {.changed = true, .widened = chain.state.watched > before};
}

std::optional<std::size_t> KeyRing::chain_for(bool change) const {
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    if (chains_[i].config.change == change) return i;
  }
  return std::nullopt;
}

std::optional<KeyRing::Issue> KeyRing::issue(std::size_t chain_number, bool advance) {
  Chain& chain = chains_[chain_number];
  KeyChainState& state = chain.state;
  const auto used = static_cast<std::uint32_t>(used_length(state.last_used));
  if (!advance && !chain.config.descriptor.is_ranged()) {
    return Issue{.index = 0, .changed = std::exchange(state.next_unissued, 1) != 1};
  }
  if (!advance && state.next_unissued > used) return Issue{.index = state.next_unissued - 1, .changed = false};
  const std::uint32_t index = next_index(chain);
  if (index >= chain.scripts.size() || index >= std::uint64_t{used} + gap_limit_) return std::nullopt;
  state.next_unissued = index + 1;
  return Issue{.index = index, .changed = true};
}

std::optional<std::uint32_t> KeyRing::fresh_index(std::size_t chain_number) const {
  const Chain& chain = chains_[chain_number];
  if (!chain.config.descriptor.is_ranged()) return 0;
  const std::uint32_t index = next_index(chain);
  return index < chain.scripts.size() ? std::optional(index) : std::nullopt;
}

void KeyRing::note_issued(std::size_t chain, std::uint32_t next_unissued) {
  KeyChainState& state = chains_[chain].state;
  state.next_unissued = std::max(state.next_unissued, std::min(next_unissued, state.watched));
}

std::uint32_t KeyRing::next_index(const Chain& chain) const {
  // Indices below the last used one are never filled in: another copy of this wallet may have handed them out.
  auto index = std::max(static_cast<std::uint32_t>(used_length(chain.state.last_used)), chain.state.next_unissued);
  while (index < chain.scripts.size() && chain.scripts[index].empty()) ++index;
  return index;
}

void KeyRing::derive(std::size_t chain_number) {
  Chain& chain = chains_[chain_number];
  chain.scripts.reserve(chain.state.watched);
  while (chain.scripts.size() < chain.state.watched) {
    const auto index = static_cast<std::uint32_t>(chain.scripts.size());
    chain.scripts.push_back(chain.config.descriptor.script_at(index).value_or(util::Bytes{}));
    if (!chain.scripts.back().empty()) enter(chain.scripts.back(), {chain_number, index});
  }
}

void KeyRing::enter(const util::Bytes& script, const KeyId& id) {
  const auto [place, is_new] = by_script_.try_emplace(script, id);
  if (is_new) return;
  KeyId other = id;
  if (descriptor(id.chain).is_ranged() && !descriptor(place->second.chain).is_ranged()) std::swap(place->second, other);
  shared_[script].push_back(other);
}

}  // namespace spv::wallet
