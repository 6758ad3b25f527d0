// HeaderChain at regtest's difficulty against a plain tree of all headers: several sources send batches that continue
// any known block, or are wrong in some way. Most work wins and the first seen stays; nothing without work or parent
// counts.
#include <map>

#include "chain/header_chain.h"
#include "chain/pow.h"
#include "tests/chain/header_builder.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;
using chain::BlockHeader;

struct Known {
  BlockHeader header;
  chain::Height height = 0;
};

// Every valid header ever sent, by hash.
class Tree {
 public:
  explicit Tree(const BlockHeader& genesis) { add(genesis, 0); }
  void add(const BlockHeader& header, chain::Height height) {
    if (by_hash_.emplace(header.hash(), Known{header, height}).second) order_.push_back(header.hash());
  }
  [[nodiscard]] const Known* find(const chain::BlockHash& hash) const {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Known& pick(std::size_t number) const { return by_hash_.at(order_[number % order_.size()]); }
  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  std::map<chain::BlockHash, Known> by_hash_;
  std::vector<chain::BlockHash> order_;
};

// Breaks one header of a batch; false if that leaves it right.
bool spoil(std::vector<BlockHeader>& batch, std::uint8_t how) {
  BlockHeader& header = batch[how / 8 % batch.size()];
  switch (how % 4) {
    case 0:
      header = chain::test::unmined(header);
      return true;
    case 1:
      header.bits = 0x1D00FFFF;
      return true;
    case 2:
      header.previous.bytes[5] ^= 1;
      header = chain::test::mined(header);
      return true;
    default:
      header.time = 0;
      header = chain::test::mined(header);
      return true;
  }
}

void check(const chain::HeaderChain& chain, const Tree& tree) {
  for (chain::Height height = chain.height(); height > 0; --height) {
    const auto hash = *chain.hash_at(height);
    const Known* known = tree.find(hash);
    util::ensure(known != nullptr && known->height == height, "a header that was never sent, or at another height");
    util::ensure(known->header.previous == *chain.hash_at(height - 1), "a gap in the chain");
    util::ensure(chain.at(height)->hash() == hash, "another header under this hash");
  }
  util::ensure(chain.work() == chain::Uint256(2) * static_cast<std::uint32_t>(chain.height() + 1), "the work");
}

}  // namespace

SPV_FUZZ_TARGET(header_chain, input) {
  fuzz::Input rest(input);
  chain::test::MemoryChain memory;
  auto& chain = memory.chain;
  Tree tree(chain.params().genesis);
  for (int steps = 0; !rest.empty() && steps < 40; ++steps) {
    const std::uint8_t kind = rest.byte();
    const Known parent = tree.pick(tree.size() - 1 - std::min<std::size_t>(rest.byte(), tree.size() - 1));
    auto batch = chain::test::mine_on(parent.header, 1 + rest.below(12), static_cast<std::uint8_t>(kind >> 4U));
    const bool spoilt = (kind & 7U) == 7 && spoil(batch, rest.byte());
    const auto before = chain.tip();
    const auto work = chain.work();
    const auto result = chain.accept(batch, chain::test::kLater, {.id = kind & 3U, .is_sole = (kind & 8U) != 0});
    // What of the batch is right, by the tree alone.
    chain::Height height = parent.height;
    for (const auto& header : batch) {
      const Known* above = tree.find(header.previous);
      const bool right = above != nullptr && above->height == height && header.bits == parent.header.bits &&
                         header.time > above->header.time &&
                         chain::check_proof_of_work(header.hash(), header.bits, chain.params());
      if (!right) break;
      tree.add(header, ++height);
    }
    const bool all_right = static_cast<std::size_t>(height - parent.height) == batch.size();
    util::ensure(all_right != spoilt, "the tree and the spoiler agree");
    if (spoilt) util::ensure(result.error.has_value(), "a bad header is not told");
    if (!spoilt && chain.knows(parent.header.hash())) {
      const bool fine = !result.error || result.error == chain::HeaderError::TooLittleWork ||
                        result.error == chain::HeaderError::Unconnected;
      util::ensure(fine, "a right batch is refused");
    }
    util::ensure(result.update.old_tip == before && result.update.new_tip == chain.tip(), "what changed");
    util::ensure(chain.work() > work || chain.tip() == before, "the tip changes without more work");
    // Every block has the same work, so the longest branch wins, unless it is so deep that it waits for a second
    // source.
    if (!result.error && !result.update.held) util::ensure(chain.height() >= height, "a heavier branch is left aside");
    check(chain, tree);
    util::ensure(chain.side_branches().all().size() <= 4 * chain.side_branches().limits().branches + 8, "memory");
  }
}
