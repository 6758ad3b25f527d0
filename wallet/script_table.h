// ScriptTable: the scripts of a wallet's key chains, each found by its bytes. Small: 12 to 18
// bytes for each script besides its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "util/bytes.h"
#include "wallet/script_list.h"

namespace spv::wallet {

/// One script of the wallet: key chain and index within it.
struct KeyId {
  std::size_t chain = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const KeyId&, const KeyId&) = default;
};

class ScriptTable {
 public:
  /// One list for each key chain.
  explicit ScriptTable(std::vector<ScriptList> chains);

  [[nodiscard]] const ScriptList& of(std::size_t chain) const { return chains_[chain]; }
  /// Makes room for so many scripts of a chain in all.
  void reserve(std::size_t chain, std::size_t count);
  void add(std::size_t chain, util::ByteView script);
  /// Calls `visit` with each place that has the script, in no order. None has an empty one.
  template <typename Visit>
  void find(util::ByteView script, Visit visit) const {
    for (std::size_t slot = home_of(script); !slots_[slot].is_free(); slot = next(slot)) {
      const auto& [chain, index] = slots_[slot];
      if (has(chain, index, script)) visit(KeyId{chain, index});
    }
  }
  /// True if some script is there more than once.
  [[nodiscard]] bool has_repeats() const { return has_repeats_; }

 private:
  struct Slot {
    std::uint32_t chain = kFree;
    std::uint32_t index = 0;
    [[nodiscard]] bool is_free() const { return chain == kFree; }
    static constexpr std::uint32_t kFree = 0xFFFF'FFFF;
  };

  [[nodiscard]] std::size_t home_of(util::ByteView script) const;
  [[nodiscard]] std::size_t next(std::size_t slot) const { return slot + 1 < slots_.size() ? slot + 1 : 0; }
  [[nodiscard]] bool has(std::size_t chain, std::size_t index, util::ByteView script) const {
    const util::ByteView held = chains_[chain][index];
    return std::equal(held.begin(), held.end(), script.begin(), script.end());
  }
  void make_room(std::size_t more);
  void enter(std::size_t chain, std::size_t index);

  std::vector<ScriptList> chains_;
  std::vector<Slot> slots_;  // at most two thirds of them are used
  std::size_t used_ = 0;
  bool has_repeats_ = false;
};

}  // namespace spv::wallet
