// WholeMatcher: the one matcher for the whole blocks of all peers, brought up to date before it is used.
#pragma once

#include <functional>
#include <utility>

#include "sync/scan/block_matcher.h"

namespace spv::sync {

class WholeMatcher {
 public:
  /// Lets a matcher watch all that is watched now.
  using Refresh = std::function<void(BlockMatcher&)>;

  WholeMatcher(util::Rng rng, Refresh refresh) : matcher_(rng), refresh_(std::move(refresh)) {}

  /// Something else is watched.
  void renew() { stale_ = true; }
  [[nodiscard]] BlockMatcher& fresh() {
    if (std::exchange(stale_, false)) refresh_(matcher_);
    return matcher_;
  }
  /// See BlockMatcher.
  [[nodiscard]] bool spends(const std::vector<WatchSet::Fingerprint>& spent, const chain::OutPoint& coin) const {
    return matcher_.spends(spent, coin);
  }

 private:
  BlockMatcher matcher_;
  Refresh refresh_;
  bool stale_ = true;
};

}  // namespace spv::sync
