// ActionDigest: two hashes over all that an engine ordered, in order: what others see, and what was committed. They are
// equal as long as it behaves the same, whatever its parts are called.
#pragma once

#include <string_view>

#include "sync/types/types.h"
#include "util/codec.h"
#include "util/hash256.h"

namespace spv::test {

class ActionDigest {
 public:
  /// Everything but Persist.
  void add(const sync::Action& action, util::TimePoint now);
  /// The wallet as it is on disk after a commit.
  void add_commit(const wallet::WalletState& committed, util::TimePoint now);

  [[nodiscard]] util::Hash256 actions() const { return actions_; }
  [[nodiscard]] util::Hash256 commits() const { return commits_; }

 private:
  util::Hash256 actions_{};
  util::Hash256 commits_{};
};

}  // namespace spv::test
