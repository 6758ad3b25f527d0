#include "sync/scan/block_matcher.h"

#include <algorithm>
#include <array>
#include <optional>

#include "bip37/merkle_fold.h"
#include "util/hash.h"

namespace spv::sync {
namespace {

/// The block of the most transactions that the rules allow.
constexpr std::size_t kMostTransactions = bip37::kMaxBlockTransactions;

bool is_null_outpoint(const std::uint8_t* bytes) {
  constexpr std::size_t kHash = chain::Txid::kSize;
  return std::all_of(bytes, bytes + kHash, [](std::uint8_t b) { return b == 0; }) &&
         std::all_of(bytes + kHash, bytes + chain::OutPoint::kSize, [](std::uint8_t b) { return b == 0xFF; });
}

// One input, and that of nowhere.
bool is_coinbase(const chain::TxView& tx) { return tx.core[0] == 1 && is_null_outpoint(tx.core.data() + 1); }

// BIP141: the last output that looks like one counts.
std::optional<util::Hash256> witness_commitment(const chain::Transaction& coinbase) {
  constexpr std::array<std::uint8_t, 6> kPrefix = {0x6A, 0x24, 0xAA, 0x21, 0xA9, 0xED};
  std::optional<util::Hash256> found;
  for (const auto& output : coinbase.outputs) {
    const auto& script = output.script_pubkey;
    if (script.size() < kPrefix.size() + util::Hash256::kSize) continue;
    if (!std::equal(kPrefix.begin(), kPrefix.end(), script.begin())) continue;
    found.emplace();
    std::copy_n(script.begin() + kPrefix.size(), util::Hash256::kSize, found->bytes.begin());
  }
  return found;
}

}  // namespace

std::string_view to_string(BlockError error) {
  switch (error) {
    case BlockError::Malformed:
      return "malformed list of transactions in a block";
    case BlockError::NoCoinbase:
      return "block does not begin with a coinbase";
    case BlockError::Repeated:
      return "block repeats transactions";
    case BlockError::WrongRoot:
      return "block does not have its header's root";
    case BlockError::BadTransaction:
      return "block has a transaction that breaks the rules";
    case BlockError::WrongWitness:
      return "block does not commit to a witness in it";
  }
  return "unknown block error";
}

DisconnectReason reason_of(BlockError error) {
  return error == BlockError::BadTransaction ? DisconnectReason::BadTransaction : DisconnectReason::BadBlock;
}

void BlockMatcher::watch(const Watcher& watcher) {
  const auto outpoints = watcher.watched_outpoints();
  watched_.clear(watcher.script_count() + outpoints.size());
  watcher.each_script([this](util::ByteView script) { watched_.add_script(script); });
  add(outpoints);
}

void BlockMatcher::watch(const std::vector<util::Bytes>& scripts, const std::vector<chain::OutPoint>& outpoints) {
  watched_.clear(scripts.size() + outpoints.size());
  for (const auto& script : scripts) watched_.add_script(script);
  add(outpoints);
}

void BlockMatcher::add(const std::vector<chain::OutPoint>& outpoints) {
  for (const auto& outpoint : outpoints) watched_.add(watched_.of_outpoint(outpoint.bytes()));
}

std::vector<chain::OutPoint> BlockMatcher::learn(const chain::Transaction& tx, const chain::Txid& txid) {
  std::vector<chain::OutPoint> coins;
  for (std::uint32_t n = 0; n < tx.outputs.size(); ++n) {
    if (!watched_.contains(watched_.of_script(tx.outputs[n].script_pubkey))) continue;
    coins.push_back({.txid = txid, .index = n});
    watched_.add(watched_.of_outpoint(coins.back().bytes()));
  }
  return coins;
}

bool BlockMatcher::spends(const std::vector<WatchSet::Fingerprint>& spent, const chain::OutPoint& coin) const {
  return std::find(spent.begin(), spent.end(), watched_.of_outpoint(coin.bytes())) != spent.end();
}

util::Expected<BlockMatches, BlockError> BlockMatcher::match(const chain::BlockHeader& header, util::ByteView body,
                                                             bool with_spends) {
  if (const auto error = read(body)) return util::Unexpected{*error};
  if (const auto error = prove(header.merkle_root)) return util::Unexpected{*error};
  find();
  BlockMatches out;
  out.transactions = static_cast<std::uint32_t>(txs_.size());
  if (const auto error = keep(out)) return util::Unexpected{*error};
  for (const Tx& tx : txs_) {
    if (!with_spends) break;
    const auto from = lookups_.begin();
    out.spends.insert(out.spends.end(), from + static_cast<std::ptrdiff_t>(tx.lookups),
                      from + static_cast<std::ptrdiff_t>(tx.outputs));
  }
  return out;
}

std::optional<BlockError> BlockMatcher::read(util::ByteView body) {
  txs_.clear();
  lookups_.clear();
  std::size_t begin = 0;
  std::size_t outputs = 0;
  const auto look_up = [&](WatchSet::Fingerprint entry) {
    watched_.expect(entry);
    lookups_.push_back(entry);
  };
  const bool read = chain::walk_block(
      body,
      [&](util::ByteView outpoint) {
        look_up(watched_.of_outpoint(outpoint));
        outputs = lookups_.size();
      },
      [&](util::ByteView script) { look_up(watched_.of_script(script)); },
      [&](const chain::TxView& tx) {
        txs_.push_back({tx, begin, outputs});
        begin = lookups_.size();
      });
  if (!read || txs_.size() > kMostTransactions) return BlockError::Malformed;
  if (!is_coinbase(txs_[0].view)) return BlockError::NoCoinbase;
  return std::nullopt;
}

std::optional<BlockError> BlockMatcher::prove(const chain::MerkleRoot& root) {
  messages_.clear();
  for (const Tx& tx : txs_) messages_.push_back(tx.view.stripped());
  txids_.resize(txs_.size());
  util::sha256d_each(messages_, txids_.data());
  fold_ = txids_;
  const auto fold = bip37::fold_merkle_tree(fold_);
  if (util::retag<chain::MerkleRoot>(fold.root) != root) return BlockError::WrongRoot;
  if (fold.repeats) return BlockError::Repeated;
  return std::nullopt;
}

void BlockMatcher::find() {
  found_.clear();
  if (!watched_.contains_any(lookups_)) return;  // as in most blocks
  for (std::size_t n = 0; n < txs_.size(); ++n) {
    const std::size_t end = n + 1 < txs_.size() ? txs_[n + 1].lookups : lookups_.size();
    if (find_in(n, end)) found_.push_back(n);
  }
}

bool BlockMatcher::find_in(std::size_t number, std::size_t end) {
  const Tx& tx = txs_[number];
  bool found = false;
  for (std::size_t i = tx.lookups; i < end; ++i) {
    if (!watched_.contains(lookups_[i])) [[likely]] {
      continue;
    }
    found = true;
    if (i < tx.outputs) continue;
    const auto output = static_cast<std::uint32_t>(i - tx.outputs);
    const chain::OutPoint coin{.txid = util::retag<chain::Txid>(txids_[number]), .index = output};
    watched_.add(watched_.of_outpoint(coin.bytes()));
  }
  return found;
}

std::optional<BlockError> BlockMatcher::keep(BlockMatches& out) const {
  bool witness = false;
  std::vector<bool> marks;
  for (const std::size_t n : found_) {
    const chain::TxView& view = txs_[n].view;
    auto tx = chain::Transaction::parse(view.bytes);
    if (!tx) return BlockError::Malformed;
    const auto valid = chain::check_structure(*tx);
    // As with a filtered block: one of 64 bytes may be in a real block, but never reaches a wallet.
    if (!valid && valid.error() == chain::TxError::AmbiguousSize) continue;
    if (!valid) return BlockError::BadTransaction;
    witness = witness || view.has_witness;
    marks.resize(txs_.size());
    marks[n] = true;
    out.bytes += view.bytes.size();
    out.matched.push_back({static_cast<std::uint32_t>(n), util::retag<chain::Txid>(txids_[n]), std::move(*tx)});
  }
  if (witness && !commits_to_witnesses()) return BlockError::WrongWitness;
  if (out.matched.empty()) return std::nullopt;
  std::vector<chain::Txid> txids;
  txids.reserve(txids_.size());
  for (const auto& txid : txids_) txids.push_back(util::retag<chain::Txid>(txid));
  out.tree = bip37::build_partial_tree(txids, marks);
  return std::nullopt;
}

bool BlockMatcher::commits_to_witnesses() const {
  const auto coinbase = chain::Transaction::parse(txs_[0].view.bytes);
  if (!coinbase) return false;
  const auto commitment = witness_commitment(*coinbase);
  const auto& reserved = coinbase->inputs[0].witness;
  if (!commitment || reserved.size() != 1 || reserved[0].size() != util::Hash256::kSize) return false;
  std::vector<util::Hash256> leaves(1);  // the coinbase counts as zero
  for (std::size_t n = 1; n < txs_.size(); ++n) {
    const chain::TxView& tx = txs_[n].view;
    leaves.push_back(tx.has_witness ? util::retag<util::Hash256>(tx.wtxid()) : txids_[n]);
  }
  const auto root = bip37::fold_merkle_tree(leaves).root;
  return util::sha256d_pair(root.view(), reserved[0]) == *commitment;
}

}  // namespace spv::sync
