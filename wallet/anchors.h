// Which scanned blocks are remembered: enough to find the fork of a reorganisation that happened while we were away.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "chain/types.h"

namespace spv::wallet {

/// The most anchors that a wallet keeps.
inline constexpr std::size_t kMaxAnchors = 40;

/// Some scanned blocks, ascending. Copies share them: thousands of wallets that are scanned together have the same.
class Anchors {
 public:
  using Blocks = std::vector<chain::BlockRef>;

  Anchors() = default;
  // NOLINTBEGIN(google-explicit-constructor): a list of blocks in all but its memory.
  Anchors(Blocks blocks);
  Anchors(std::initializer_list<chain::BlockRef> blocks) : Anchors(Blocks(blocks)) {}
  operator const Blocks&() const { return blocks(); }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const Blocks& blocks() const;
  [[nodiscard]] auto begin() const { return blocks().begin(); }
  [[nodiscard]] auto end() const { return blocks().end(); }
  [[nodiscard]] auto rbegin() const { return blocks().rbegin(); }
  [[nodiscard]] auto rend() const { return blocks().rend(); }
  [[nodiscard]] std::size_t size() const { return blocks().size(); }
  [[nodiscard]] bool empty() const { return blocks().empty(); }
  [[nodiscard]] const chain::BlockRef& operator[](std::size_t place) const { return blocks()[place]; }
  [[nodiscard]] const chain::BlockRef& front() const { return blocks().front(); }
  [[nodiscard]] const chain::BlockRef& back() const { return blocks().back(); }
  /// Those at or below a height.
  [[nodiscard]] Anchors up_to(chain::Height height) const;

  friend bool operator==(const Anchors& a, const Anchors& b) {
    return a.blocks_ == b.blocks_ || a.blocks() == b.blocks();
  }

 private:
  std::shared_ptr<const Blocks> blocks_;  // none: empty
};

/// Anchors after a scan went on to `top`: all of both at or below it, and that block, thinned to the last dozen and,
/// further down, one for each doubling of the distance. Ascending by height.
Anchors updated_anchors(const Anchors& before, const Anchors& added, const chain::BlockRef& top);

/// The same for many wallets that move together: computed once for those that stand alike, who share the result.
class AnchorUpdates {
 public:
  Anchors updated(const Anchors& before, const Anchors& added, const chain::BlockRef& top);

 private:
  struct Update {
    Anchors before;
    Anchors added;
    Anchors after;
  };
  chain::BlockRef top_;
  std::vector<Update> known_;  // to `top_`
};

}  // namespace spv::wallet
