#include "tests/support/chain_builder.h"

#include <algorithm>

#include "bip37/partial_merkle_tree.h"
#include "chain/params.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::test {
namespace {

constexpr std::uint32_t kRegtestBits = 0x207F'FFFF;
constexpr std::int32_t kBlockVersion = 0x2000'0000;
constexpr chain::Height kRegtestHalving = 150;

chain::Amount subsidy(chain::Height height) {
  const int halvings = height / kRegtestHalving;
  return halvings >= 63 ? 0 : (50 * chain::kCoin) >> halvings;
}

// The first transaction of every network's genesis block, except testnet4's.
chain::Transaction genesis_coinbase() {
  chain::Transaction tx;
  tx.version = 1;
  const util::Bytes number{0xFF, 0xFF, 0x00, 0x1D};
  const util::Bytes four{4};
  const auto headline = util::as_bytes("The Times 03/Jan/2009 Chancellor on brink of second bailout for banks");
  tx.inputs.push_back({.previous = {.txid = {}, .index = 0xFFFF'FFFF},
                       .script_sig = concat({push(number), push(four), push(headline)}),
                       .witness = {}});
  constexpr std::string_view kKey =
      "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb6"
      "49f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f";
  tx.outputs.push_back({.value = 50 * chain::kCoin, .script_pubkey = p2pk(hex(kKey))});
  return tx;
}

std::shared_ptr<const Block> genesis_block() {
  const auto& params = chain::params(chain::Network::Regtest);
  Block block{
      .height = 0, .hash = params.genesis_hash, .header = params.genesis, .txs = {genesis_coinbase()}, .txids = {}};
  block.txids.push_back(block.txs.front().txid());
  return std::make_shared<const Block>(std::move(block));
}

// BIP141: the root over the wtxids (the coinbase's taken as zero), hashed with the coinbase's witness.
void commit_to_witnesses(chain::Transaction& coinbase, const std::vector<chain::Transaction>& txs) {
  const util::Bytes reserved(32, 0);
  std::vector<chain::Txid> leaves(1);
  for (const auto& tx : txs) leaves.push_back(util::retag<chain::Txid>(tx.wtxid()));
  const auto commitment = util::sha256d_pair(bip37::merkle_root(leaves).view(), reserved);
  const util::Bytes tag{0xAA, 0x21, 0xA9, 0xED};
  coinbase.inputs.front().witness = {reserved};
  coinbase.outputs.push_back({.value = 0, .script_pubkey = op_return(concat({tag, commitment.view()}))});
}

bool meets_regtest_target(const chain::BlockHash& hash) {
  static const chain::Uint256 kTarget = chain::Uint256(kRegtestBits & 0x7F'FFFFU)
                                        << (8U * ((kRegtestBits >> 24U) - 3U));
  return chain::Uint256::from_little_endian(hash.view()) <= kTarget;
}

}  // namespace

util::Bytes Block::serialize() const {
  util::Writer out;
  header.encode(out);
  out.compact_size(txs.size());
  for (const auto& tx : txs) tx.encode(out);
  return out.take();
}

void mine(chain::BlockHeader& header) {
  while (!meets_regtest_target(header.hash())) ++header.nonce;
}

ChainBuilder::ChainBuilder() : coinbase_script_(op_true()) {
  static const auto kGenesis = genesis_block();
  blocks_.push_back(kGenesis);
}

ChainBuilder& ChainBuilder::block(std::vector<chain::Transaction> txs) {
  const Block& parent = tip_block();
  Block block;
  block.height = parent.height + 1;
  block.txs.reserve(txs.size() + 1);
  block.txs.push_back(make_coinbase(block.height, txs));
  std::move(txs.begin(), txs.end(), std::back_inserter(block.txs));
  for (const auto& tx : block.txs) block.txids.push_back(tx.txid());
  block.header = {.version = kBlockVersion,
                  .previous = parent.hash,
                  .merkle_root = bip37::merkle_root(block.txids),
                  .time = next_time_.value_or(parent.header.time + time_step_),
                  .bits = kRegtestBits,
                  .nonce = 0};
  mine(block.header);
  block.hash = block.header.hash();
  next_time_.reset();
  blocks_.push_back(std::make_shared<const Block>(std::move(block)));
  return *this;
}

ChainBuilder& ChainBuilder::blocks(int count) {
  for (int i = 0; i < count; ++i) block();
  return *this;
}

ChainBuilder& ChainBuilder::pays(util::ByteView script, chain::Amount amount) {
  const auto seed = util::sha256(util::Writer().hash(tip().hash).integer(salt_).take());
  const auto nonce = util::Reader(seed.view()).integer<std::uint64_t>();
  return block({TxBuilder(nonce).pays(script, amount).build()});
}

ChainBuilder& ChainBuilder::time_step(std::uint32_t seconds) {
  time_step_ = seconds;
  return *this;
}

ChainBuilder& ChainBuilder::next_time(std::uint32_t time) {
  next_time_ = time;
  return *this;
}

ChainBuilder& ChainBuilder::salt(std::uint64_t salt) {
  salt_ = salt;
  return *this;
}

ChainBuilder& ChainBuilder::coinbase_script(util::ByteView script) {
  coinbase_script_ = util::to_bytes(script);
  return *this;
}

ChainBuilder ChainBuilder::at_height(chain::Height height) const {
  util::ensure(height >= 0 && height <= this->height(), "a fork starts within the chain");
  ChainBuilder fork = *this;
  fork.blocks_.resize(static_cast<std::size_t>(height) + 1);
  fork.next_time_.reset();
  ++fork.salt_;
  return fork;
}

chain::BlockRef ChainBuilder::tip() const { return {tip_block().height, tip_block().hash}; }

const std::shared_ptr<const Block>& ChainBuilder::shared(chain::Height height) const {
  util::ensure(height >= 0 && height <= this->height(), "the chain has no block at this height");
  return blocks_[static_cast<std::size_t>(height)];
}

std::vector<chain::BlockHeader> ChainBuilder::headers(chain::Height first, std::size_t count) const {
  std::vector<chain::BlockHeader> out;
  for (chain::Height h = first; h <= height() && out.size() < count; ++h) out.push_back(header(h));
  return out;
}

std::optional<chain::Height> ChainBuilder::find(const chain::BlockHash& hash) const {
  const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const auto& b) { return b->hash == hash; });
  if (found == blocks_.rend()) return std::nullopt;
  return (*found)->height;
}

bool ChainBuilder::contains(const chain::BlockRef& block) const {
  return block.height >= 0 && block.height <= height() && shared(block.height)->hash == block.hash;
}

chain::Height ChainBuilder::fork_height(const ChainBuilder& other) const {
  chain::Height fork = std::min(height(), other.height());
  while (shared(fork)->hash != other.shared(fork)->hash) --fork;
  return fork;
}

chain::Transaction ChainBuilder::make_coinbase(chain::Height height, const std::vector<chain::Transaction>& txs) const {
  auto coinbase = TxBuilder::coinbase(height, coinbase_script_, subsidy(height), salt_);
  if (std::any_of(txs.begin(), txs.end(), [](const auto& tx) { return tx.has_witness(); })) {
    commit_to_witnesses(coinbase, txs);
  }
  return coinbase;
}

}  // namespace spv::test
