// ChainStory: what an event log tells of the chain, checked against the node that made the blocks: every tip once, on
// the one before it, or after a reorganisation that says where the two part.
#pragma once

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/bitcoind.h"

namespace spv::test {

class ChainStory {
 public:
  explicit ChainStory(Bitcoind& node) : node_(node) {}

  void hear_reorg(const std::string& from, const std::string& to, std::int64_t fork_height) {
    EXPECT_EQ(from, tip_) << "a reorganisation begins at the last tip";
    EXPECT_TRUE(next_.empty()) << "a tip comes between two reorganisations";
    EXPECT_EQ(fork_height, height_of(fork_of(from, to)));
    EXPECT_NE(fork_of(from, to), from) << "no reorganisation: " << to << " builds on it";
    next_ = to;
  }
  void hear_tip(const std::string& hash, std::int64_t height) {
    EXPECT_TRUE(told_.insert(hash).second) << hash << " is told twice";
    EXPECT_EQ(height, height_of(hash));
    if (!next_.empty()) {
      EXPECT_EQ(hash, next_);
    } else if (!tip_.empty()) {
      EXPECT_EQ(fork_of(tip_, hash), tip_) << hash << " does not build on the tip before";
    }
    tip_ = hash;
    next_.clear();
  }
  /// Empty before the first.
  [[nodiscard]] const std::string& tip() const { return tip_; }

 private:
  boost::json::value header(const std::string& hash) { return node_.rpc("getblockheader", hash); }
  std::int64_t height_of(const std::string& hash) { return header(hash).at("height").as_int64(); }
  std::string parent_of(const std::string& hash) {
    return std::string(header(hash).at("previousblockhash").as_string());
  }
  /// The last block that two chains have.
  std::string fork_of(std::string one, std::string other) {
    while (one != other) {
      if (height_of(one) >= height_of(other)) {
        one = parent_of(one);
      } else {
        other = parent_of(other);
      }
    }
    return one;
  }

  Bitcoind& node_;
  std::set<std::string> told_;
  std::string tip_;
  std::string next_;  // after a reorganisation: the tip that must follow
};

}  // namespace spv::test
