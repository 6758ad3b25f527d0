// KeyRing: which scripts are ours. Each descriptor is watched a window ahead of its last used index; the window is
// wider than the gap limit (BIP44), so that it seldom has to grow while blocks are scanned.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "util/bytes.h"
#include "wallet/records.h"
#include "wallet/script_table.h"

namespace spv::wallet {

class KeyRing {
 public:
  /// Derives every watched script that is not among the stored ones (see WalletState::scripts). States that watch less
  /// than the rules ask for are widened.
  KeyRing(std::vector<KeyChainConfig> chains, std::uint32_t gap_limit, std::vector<KeyChainState> states,
          std::vector<ScriptList> stored = {});
  /// The state of a chain that has seen nothing: the look-ahead, or the one script of a chain without wildcard.
  static KeyChainState fresh_state(const Descriptor& descriptor, std::uint32_t gap_limit);
  /// Addresses beyond the last used one that can be handed out by issue_next().
  static constexpr std::uint32_t kMaxIssuedAhead = 100'000;
  /// The widest window that the rules give a chain that was used up to `last_used`, and of which the indexes below
  /// `next_unissued` are handed out: more is damage.
  static std::uint64_t max_watched(const Descriptor& descriptor, std::uint32_t gap_limit,
                                   std::optional<std::uint32_t> last_used, std::uint32_t next_unissued = 0);

  [[nodiscard]] std::size_t chain_count() const { return chains_.size(); }
  [[nodiscard]] const Descriptor& descriptor(std::size_t chain) const { return chains_[chain].config.descriptor; }
  [[nodiscard]] const KeyChainState& state(std::size_t chain) const { return chains_[chain].state; }
  /// Of several chains that have a script, one with a wildcard comes first: its keys and paths are known. Then the
  /// first of the wallet.
  [[nodiscard]] std::optional<KeyId> find(util::ByteView script) const;
  /// In every chain that has it; the one that find() gives comes first.
  [[nodiscard]] std::vector<KeyId> find_all(util::ByteView script) const;
  /// True if some script is in more than one chain.
  [[nodiscard]] bool has_shared_scripts() const { return scripts_.has_repeats(); }
  /// A watched script; empty for the one index in 2^127 that has none. Valid until more are watched.
  [[nodiscard]] util::ByteView script(const KeyId& id) const { return scripts_.of(id.chain)[id.index]; }
  /// The scripts 0..watched-1 of a chain.
  [[nodiscard]] const ScriptList& scripts(std::size_t chain) const { return scripts_.of(chain); }
  /// True if the descriptor gives this script. What was stored is no proof of that: it is derived for the comparison.
  [[nodiscard]] bool is_sound(const KeyId& id) const;
  /// The same, and remembers it of those that are asked for in order.
  [[nodiscard]] bool prove(const KeyId& id);
  /// What was derived of a chain since the last call, or since what was stored.
  [[nodiscard]] std::optional<ChainScripts> take_derived(std::size_t chain);

  struct Use {
    bool changed = false;  // the chain's state is another one now
    bool widened = false;  // scripts are watched that were not before
  };
  /// A transaction uses this script of this chain; see find_all(). Where fewer than gap-limit scripts are watched
  /// beyond it, the window at least doubles and reaches the whole look-ahead beyond it.
  Use mark_used(const KeyId& id);

  struct Issue {
    std::uint32_t index = 0;
    bool changed = false;
    bool widened = false;  // scripts are watched that were not before
  };
  /// The first chain of this kind.
  [[nodiscard]] std::optional<std::size_t> chain_for(bool change) const;
  /// Hands out an index. With `advance` the first one above all used and issued ones, or nothing if that is more
  /// than the gap limit above the last used one. Without, the current one: the last issued one while nothing at or
  /// above it is used, else the first above the last used one, which counts as issued from then on; repeated calls
  /// give the same until it is used. A chain without wildcard issues its one script once, and always shows it.
  std::optional<Issue> issue(std::size_t chain, bool advance);
  /// Hands out the first index above all used and issued ones, whatever the gap limit, and watches as far beyond it as
  /// beyond a used one; nothing where kMaxIssuedAhead of them are unused.
  std::optional<Issue> issue_next(std::size_t chain);
  /// Somebody uses the scripts up to this index: they count as handed out, and are watched.
  Use hand_out_to(const KeyId& id);
  /// The first index above all used and issued ones that is watched, without handing it out; of a chain without
  /// wildcard its one script.
  [[nodiscard]] std::optional<std::uint32_t> fresh_index(std::size_t chain) const;
  /// Another process has handed out the indexes below this.
  void note_issued(std::size_t chain, std::uint32_t next_unissued);

 private:
  struct Chain {
    KeyChainConfig config;
    KeyChainState state;
    std::uint32_t given = 0;     // scripts below this were not derived here
    std::uint32_t proven = 0;    // of those, the descriptor gives the ones below this
    std::uint32_t reported = 0;  // scripts below this are stored, or reported to be stored
  };

  void derive(std::size_t chain);
  [[nodiscard]] bool comes_before(const KeyId& a, const KeyId& b) const;
  [[nodiscard]] std::uint32_t next_index(std::size_t chain) const;

  std::uint32_t gap_limit_;
  std::vector<Chain> chains_;
  ScriptTable scripts_;
};

}  // namespace spv::wallet
