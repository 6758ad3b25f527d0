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

/// At most as many of each chain as it watches.
std::vector<ScriptList> stored_scripts(std::vector<ScriptList> stored, const std::vector<KeyChainState>& states) {
  stored.resize(states.size());
  for (std::size_t chain = 0; chain < states.size(); ++chain) stored[chain].truncate(states[chain].watched);
  return stored;
}

}  // namespace

KeyRing::KeyRing(std::vector<KeyChainConfig> chains, std::uint32_t gap_limit, std::vector<KeyChainState> states,
                 std::vector<ScriptList> stored)
    : gap_limit_(gap_limit), scripts_(stored_scripts(std::move(stored), states)) {
  util::ensure(gap_limit > 0, "a gap limit of zero finds nothing");
  util::ensure(chains.size() == states.size(), "one state for each key chain");
  chains_.reserve(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i) {
    KeyChainState state = states[i];
    const KeyChainState fresh = fresh_state(chains[i].descriptor, gap_limit);
    state.watched = std::max(state.watched, fresh.watched);
    if (chains[i].descriptor.is_ranged()) {
      state.watched = widened(state.watched, used_length(state.last_used), gap_limit);
    }
    const auto given = static_cast<std::uint32_t>(scripts(i).size());
    chains_.push_back({.config = std::move(chains[i]), .state = state, .given = given, .reported = given});
    derive(i);
  }
}

KeyChainState KeyRing::fresh_state(const Descriptor& descriptor, std::uint32_t gap_limit) {
  const std::uint64_t watched = descriptor.is_ranged() ? std::min(look_ahead(gap_limit), kMaxScripts) : 1;
  return {.watched = static_cast<std::uint32_t>(watched), .last_used = std::nullopt, .next_unissued = 0};
}

std::uint64_t KeyRing::max_watched(const Descriptor& descriptor, std::uint32_t gap_limit,
                                   std::optional<std::uint32_t> last_used, std::uint32_t next_unissued) {
  if (!descriptor.is_ranged()) return 1;
  const std::uint64_t issued = std::min<std::uint64_t>(next_unissued, used_length(last_used) + kMaxIssuedAhead);
  const std::uint64_t used = std::max(used_length(last_used), issued);
  return std::min(std::max(used + look_ahead(gap_limit), 2 * (used + gap_limit)), kMaxScripts);
}

bool KeyRing::comes_before(const KeyId& a, const KeyId& b) const {
  const bool is_ranged = descriptor(a.chain).is_ranged();
  return is_ranged != descriptor(b.chain).is_ranged() ? is_ranged : a < b;
}

std::optional<KeyId> KeyRing::find(util::ByteView script) const {
  std::optional<KeyId> first;
  scripts_.find(script, [&](const KeyId& id) {
    if (!first || comes_before(id, *first)) first = id;
  });
  return first;
}

std::vector<KeyId> KeyRing::find_all(util::ByteView script) const {
  std::vector<KeyId> all;
  scripts_.find(script, [&](const KeyId& id) { all.push_back(id); });
  std::ranges::sort(all, [this](const KeyId& a, const KeyId& b) { return comes_before(a, b); });
  return all;
}

bool KeyRing::is_sound(const KeyId& id) const {
  const Chain& chain = chains_[id.chain];
  if (id.index >= chain.given || id.index < chain.proven) return true;
  const util::ByteView held = script(id);
  const auto derived = descriptor(id.chain).script_at(id.index).value_or(util::Bytes{});
  return std::equal(held.begin(), held.end(), derived.begin(), derived.end());
}

bool KeyRing::prove(const KeyId& id) {
  const bool sound = is_sound(id);
  Chain& chain = chains_[id.chain];
  if (sound && id.index == chain.proven) ++chain.proven;
  return sound;
}

std::optional<ChainScripts> KeyRing::take_derived(std::size_t chain_number) {
  const ScriptList& all = scripts(chain_number);
  const std::uint32_t first = std::exchange(chains_[chain_number].reported, static_cast<std::uint32_t>(all.size()));
  if (first == all.size()) return std::nullopt;
  return ChainScripts{.chain = chain_number, .first = first, .scripts = all.from(first)};
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
  const std::uint32_t index = next_index(chain_number);
  if (index >= scripts(chain_number).size() || index >= std::uint64_t{used} + gap_limit_) return std::nullopt;
  state.next_unissued = index + 1;
  return Issue{.index = index, .changed = true};
}

std::optional<KeyRing::Issue> KeyRing::issue_next(std::size_t chain_number) {
  Chain& chain = chains_[chain_number];
  if (!chain.config.descriptor.is_ranged()) return issue(chain_number, true);
  const std::uint32_t index = next_index(chain_number);
  if (index >= used_length(chain.state.last_used) + kMaxIssuedAhead) return std::nullopt;
  const std::uint32_t before = chain.state.watched;
  chain.state.watched = widened(before, std::uint64_t{index} + 1, gap_limit_);
  derive(chain_number);
  if (script({chain_number, index}).empty()) return issue_next(chain_number);  // the one index in 2^127
  chain.state.next_unissued = index + 1;
  return Issue{.index = index, .changed = true, .widened = chain.state.watched > before};
}

KeyRing::Use KeyRing::hand_out_to(const KeyId& id) {
  Chain& chain = chains_[id.chain];
  const bool is_far = id.index >= used_length(chain.state.last_used) + kMaxIssuedAhead;
  if (!chain.config.descriptor.is_ranged() || is_far || chain.state.next_unissued > id.index) return {};
  const std::uint32_t before = chain.state.watched;
  chain.state.watched = widened(before, std::uint64_t{id.index} + 1, gap_limit_);
  chain.state.next_unissued = id.index + 1;
  derive(id.chain);
  return {.changed = true, .widened = chain.state.watched > before};
}

std::optional<std::uint32_t> KeyRing::fresh_index(std::size_t chain_number) const {
  if (!descriptor(chain_number).is_ranged()) return 0;
  const std::uint32_t index = next_index(chain_number);
  return index < scripts(chain_number).size() ? std::optional(index) : std::nullopt;
}

void KeyRing::note_issued(std::size_t chain, std::uint32_t next_unissued) {
  KeyChainState& state = chains_[chain].state;
  state.next_unissued = std::max(state.next_unissued, std::min(next_unissued, state.watched));
}

std::uint32_t KeyRing::next_index(std::size_t chain) const {
  // Indices below the last used one are never filled in: another copy of this wallet may have handed them out.
  const KeyChainState& known = state(chain);
  auto index = std::max(static_cast<std::uint32_t>(used_length(known.last_used)), known.next_unissued);
  while (index < scripts(chain).size() && script({chain, index}).empty()) ++index;
  return index;
}

void KeyRing::derive(std::size_t chain) {
  const std::uint32_t watched = state(chain).watched;
  const auto known = static_cast<std::uint32_t>(scripts(chain).size());
  descriptor(chain).each_script(known, watched, [&](util::ByteView script) {
    scripts_.add(chain, script);
    scripts_.reserve(chain, watched);  // now that the length of one is known
  });
}

}  // namespace spv::wallet
