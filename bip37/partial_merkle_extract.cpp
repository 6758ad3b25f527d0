#include <algorithm>
#include <array>

#include "bip37/merkle_shape.h"
#include "bip37/partial_merkle_tree.h"
#include "chain/transaction.h"

namespace spv::bip37 {
namespace {

using util::Hash256;

constexpr std::uint32_t kMaxHeight = tree_height(kMaxBlockTransactions);

// CVE-2017-12842: a block may hold a transaction of 64 bytes whose halves pose as two nodes, with a forged subtree
// below. Such a transaction has one input and one output, so its fifth byte is 1 and three more are fixed: 5 in 2^32
// honest pairs look like it. Above the leaves' parents the amount must be possible too, as it is in every
// transaction of a valid block, which leaves 1 in 10^13 of the many more pairs there.
bool poses_as_transaction(const Hash256& left, const Hash256& right, std::uint32_t level) {
  constexpr std::size_t kInputCountAt = 4;
  if (left.bytes[kInputCountAt] != 1) [[likely]] {
    return false;
  }
  std::array<std::uint8_t, 2 * Hash256::kSize> pair{};
  std::copy(left.bytes.begin(), left.bytes.end(), pair.begin());
  std::copy(right.bytes.begin(), right.bytes.end(), pair.begin() + Hash256::kSize);
  const auto tx = chain::Transaction::parse(pair);
  if (!tx || tx->outputs.empty()) return false;
  return level == 1 || chain::is_money(tx->outputs[0].value);
}

// Walks the tree depth first without recursion: one left sibling a level is all that is kept.
class Extractor {
 public:
  explicit Extractor(const PartialMerkleTree& tree) : tree_(tree) {}

  util::Expected<Matches, MerkleError> run() {
    if (!check_sizes()) return util::Unexpected{error_};
    height_ = tree_height(tree_.transactions);
    level_ = height_;
    do {
      if (!descend() || !ascend()) return util::Unexpected{error_};
    } while (level_ < height_);
    if (!check_used_up()) return util::Unexpected{error_};
    found_.root = util::retag<chain::MerkleRoot>(node_.hash);
    return std::move(found_);
  }

 private:
  struct Node {
    Hash256 hash;
    bool has_match;
  };

  bool fail(MerkleError error) {
    error_ = error;
    return false;
  }

  bool check_sizes() {
    if (tree_.transactions == 0) return fail(MerkleError::NoTransactions);
    if (tree_.transactions > kMaxBlockTransactions) return fail(MerkleError::TooManyTransactions);
    if (tree_.hashes.size() > tree_.transactions) return fail(MerkleError::TooManyHashes);
    if (bit_count() < tree_.hashes.size()) return fail(MerkleError::TooFewBits);
    return true;
  }

  // Goes down by left children to a node whose hash is given, and takes it.
  bool descend() {
    for (;; --level_, index_ *= 2) {
      if (bits_used_ == bit_count()) return fail(MerkleError::BitsExhausted);
      const bool marked = next_bit();
      if (level_ > 0 && marked) continue;
      if (hashes_used_ == tree_.hashes.size()) return fail(MerkleError::HashesExhausted);
      node_ = {tree_.hashes[hashes_used_++], marked};
      if (marked) found_.matches.push_back({.index = index_, .txid = util::retag<chain::Txid>(node_.hash)});
      return true;
    }
  }

  // Goes up while both children are known; stops before a right child that is still to be read, or at the root.
  bool ascend() {
    for (; level_ < height_; ++level_, index_ /= 2) {
      const bool is_left = index_ % 2 == 0;
      if (is_left) left_[level_] = node_;
      if (is_left && index_ + 1 < width_at(tree_.transactions, level_)) {
        ++index_;
        return true;
      }
      if (!join(left_[level_], is_left)) return false;
    }
    return true;
  }

  // Replaces node_, the right child (or the left one standing in for a missing right one), by the parent.
  bool join(const Node& left, bool right_is_missing) {
    // Equal children would let a block with a repeated tail have the root of the honest one (CVE-2012-2459).
    if (!right_is_missing && left.hash == node_.hash) return fail(MerkleError::DuplicateBranch);
    if (poses_as_transaction(left.hash, node_.hash, level_ + 1)) return fail(MerkleError::InnerNodeIsTransaction);
    if (!left.has_match && !node_.has_match) return fail(MerkleError::MarkedWithoutMatch);
    node_ = {parent_of(left.hash, node_.hash), true};
    return true;
  }

  bool check_used_up() {
    if (bit_count() - bits_used_ >= 8) return fail(MerkleError::UnusedBits);
    if (hashes_used_ != tree_.hashes.size()) return fail(MerkleError::UnusedHashes);
    while (bits_used_ < bit_count()) {
      if (next_bit()) return fail(MerkleError::NonZeroPadding);
    }
    return true;
  }

  [[nodiscard]] std::size_t bit_count() const { return tree_.flags.size() * 8; }

  bool next_bit() {
    const bool bit = (tree_.flags[bits_used_ / 8] & (1U << (bits_used_ % 8))) != 0;
    ++bits_used_;
    return bit;
  }

  const PartialMerkleTree& tree_;
  std::uint32_t height_ = 0;
  std::uint32_t level_ = 0;
  std::uint32_t index_ = 0;
  std::size_t bits_used_ = 0;
  std::size_t hashes_used_ = 0;
  Node node_{};
  std::array<Node, kMaxHeight> left_;  // written on the way down, before it is read
  MerkleError error_ = MerkleError::NoTransactions;
  Matches found_;
};

}  // namespace

util::Expected<Matches, MerkleError> extract_matches(const PartialMerkleTree& tree) { return Extractor(tree).run(); }

}  // namespace spv::bip37
