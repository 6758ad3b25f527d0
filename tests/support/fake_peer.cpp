#include "tests/support/fake_peer.h"

#include <algorithm>
#include <utility>

#include "bip37/matcher.h"
#include "bip37/partial_merkle_tree.h"

namespace spv::test {
namespace {

// Core announces at most this many blocks by their headers.
constexpr chain::Height kMaxAnnouncedHeaders = 8;

bool is_tx(const p2p::InventoryItem& item) {
  return item.type == p2p::InventoryType::Tx || item.type == p2p::InventoryType::WitnessTx;
}

chain::Transaction without_witness(chain::Transaction tx) {
  for (auto& input : tx.inputs) input.witness.clear();
  return tx;
}

bool within_limits(const bip37::BloomFilter& filter) {
  return filter.bits().size() <= bip37::kMaxFilterBytes && filter.hash_funcs() <= bip37::kMaxHashFunctions;
}

}  // namespace

FakePeer::FakePeer(FakeNode& node) : node_(node), announced_(node.chain()) { ++node_.seen.connections; }

Reply FakePeer::handle(const p2p::Message& message) {
  Reply reply;
  const bool handshake = std::holds_alternative<p2p::Version>(message) || std::holds_alternative<p2p::Verack>(message);
  if (closed_ || (state_ != State::Ready && !handshake)) return reply;
  std::visit([&](const auto& m) { on(m, reply); }, message);
  return finish(std::move(reply));
}

Reply FakePeer::shake_hands() {
  Reply reply = handle(p2p::Version{.receiver = {}, .sender = {}, .user_agent = "/test/", .relay = false});
  Reply second = handle(p2p::Verack{});
  std::move(second.messages.begin(), second.messages.end(), std::back_inserter(reply.messages));
  reply.closed = reply.closed || second.closed;
  return reply;
}

Reply FakePeer::announce_tip() {
  Reply reply;
  const ChainBuilder& chain = node_.chain();
  if (closed_ || !ready() || announced_.contains(chain.tip())) return reply;
  const chain::Height fork = announced_.fork_height(chain);
  const bool has_parent = headers_sent_ >= fork;
  if (send_headers_ && has_parent && chain.height() - fork <= kMaxAnnouncedHeaders) {
    reply.messages.emplace_back(p2p::Headers{chain.headers(fork + 1)});
    headers_sent_ = chain.height();
  } else {
    reply.messages.emplace_back(p2p::Inv{{{p2p::InventoryType::Block, util::retag<util::Hash256>(chain.tip().hash)}}});
    headers_sent_ = std::min(headers_sent_, fork);
  }
  announced_ = chain;
  return finish(std::move(reply));
}

Reply FakePeer::trickle() {
  Reply reply;
  if (closed_ || !ready()) return reply;
  p2p::Inv inv;
  for (const auto& entry : node_.mempool()) {
    // What does not pass is not looked at again when another filter comes: as on a real node.
    const bool is_news = relay_ && told_.count(entry.txid) == 0 && looked_at_.insert(entry.txid).second;
    if ((!is_news && !mempool_asked_) || !passes(entry)) continue;
    told_.insert(entry.txid);
    inv.items.push_back({p2p::InventoryType::Tx, util::retag<util::Hash256>(entry.txid)});
  }
  mempool_asked_ = false;
  if (!inv.items.empty()) reply.messages.emplace_back(std::move(inv));
  return finish(std::move(reply));
}

void FakePeer::on(const p2p::Version& version, Reply& out) {
  if (state_ != State::AwaitingVersion) return;
  state_ = State::AwaitingVerack;
  client_services_ = version.services;
  relay_ = version.relay;
  p2p::Version ours;
  ours.version = node_.protocol_version;
  ours.services = node_.services;
  ours.time = node_.chain().tip_block().header.time;
  ours.nonce = 0x5EED'0000 + node_.seen.connections;
  ours.user_agent = "/FakeNode:1.0/";
  ours.start_height = node_.chain().height() + node_.claimed_height_offset;
  out.messages.emplace_back(std::move(ours));
  out.messages.emplace_back(p2p::Unknown{"wtxidrelay"});
  out.messages.emplace_back(p2p::Unknown{"sendaddrv2"});
  out.messages.emplace_back(p2p::Verack{});
}

void FakePeer::on(const p2p::Verack&, Reply& out) {
  if (state_ != State::AwaitingVerack) return;
  state_ = State::Ready;
  announced_ = node_.chain();
  out.messages.emplace_back(p2p::Unknown{"sendcmpct"});
  out.messages.emplace_back(p2p::Ping{0x50'1106});
  out.messages.emplace_back(p2p::FeeFilter{node_.fee_filter});
}

void FakePeer::on(const p2p::Ping& ping, Reply& out) { out.messages.emplace_back(p2p::Pong{ping.nonce}); }

void FakePeer::on(const p2p::GetHeaders& request, Reply& out) {
  ++node_.seen.headers_requests;
  if (request.locator.size() > p2p::kMaxLocator) {
    out.closed = true;
    return;
  }
  const ChainBuilder& chain = node_.chain();
  auto headers = chain.headers(locate(request.locator) + 1, p2p::kMaxHeaders);
  const auto stop =
      std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.hash() == request.stop; });
  if (stop != headers.end()) headers.erase(stop + 1, headers.end());
  const auto last = headers.empty() ? chain.tip().height : chain.find(headers.back().hash()).value_or(0);
  headers_sent_ = std::max(std::min(headers_sent_, announced_.fork_height(chain)), last);
  announced_ = chain;
  out.messages.emplace_back(p2p::Headers{std::move(headers)});
}

void FakePeer::on(const p2p::SendHeaders&, Reply&) { send_headers_ = true; }

void FakePeer::on(const p2p::Inv& inv, Reply& out) {
  p2p::GetData wanted;
  const bool witness = (client_services_ & p2p::services::kWitness) != 0;
  for (const auto& item : inv.items) {
    const auto txid = util::retag<chain::Txid>(item.hash);
    if (is_tx(item)) node_.seen.announced.push_back(txid);
    if (item.type != p2p::InventoryType::Tx || node_.in_mempool(txid) != nullptr) continue;
    told_.insert(txid);
    if (node_.ignores_inventory) continue;
    wanted.items.push_back({witness ? p2p::InventoryType::WitnessTx : p2p::InventoryType::Tx, item.hash});
  }
  if (!wanted.items.empty()) out.messages.emplace_back(std::move(wanted));
}

void FakePeer::on(const p2p::GetData& request, Reply& out) {
  node_.seen.getdata_sizes.push_back(request.items.size());
  if (request.items.size() > p2p::kMaxInventory) {
    out.closed = true;
    return;
  }
  // As Core does: a run of transactions and one block a pass; what was not found is told after each pass.
  p2p::NotFound missing;
  const auto tell_missing = [&] {
    if (!missing.items.empty()) out.messages.emplace_back(std::exchange(missing, {}));
  };
  for (const auto& item : request.items) {
    if (is_tx(item)) {
      if (!serve_tx(item, out)) missing.items.push_back(item);
      continue;
    }
    if (item.type == p2p::InventoryType::FilteredBlock) serve_filtered_block(item, out);
    if (item.type == p2p::InventoryType::WitnessBlock) serve_whole_block(item, out);
    if (out.closed) return;
    tell_missing();
  }
  tell_missing();
}

void FakePeer::on(const p2p::Tx& message, Reply&) {
  const auto& tx = message.transaction;
  node_.seen.transactions.push_back(tx);
  told_.insert(tx.txid());
  if (!node_.refuses_transactions) node_.add_to_mempool(tx);
}

void FakePeer::on(const p2p::FilterLoad& load, Reply& out) {
  node_.seen.filter_loads.push_back(load.filter);
  out.closed = !offers(p2p::services::kBloom) || !within_limits(load.filter);
  if (out.closed) return;
  filter_ = load.filter;
  relay_ = true;
}

void FakePeer::on(const p2p::FilterClear&, Reply& out) {
  out.closed = !offers(p2p::services::kBloom);
  filter_.reset();
  relay_ = true;
}

void FakePeer::on(const p2p::FeeFilter& fee, Reply&) { fee_filter_ = fee.sat_per_kvb; }

void FakePeer::on(const p2p::Mempool&, Reply& out) {
  ++node_.seen.mempool_requests;
  out.closed = !offers(p2p::services::kBloom);
  mempool_asked_ = true;
}

// As Core does: only the newest blocks are answered so, older ones come whole.
void FakePeer::on(const p2p::GetBlockTxn& request, Reply& out) {
  constexpr chain::Height kDeepest = 10;
  const Block* block = node_.find_block(request.block);
  if (block == nullptr) return;
  ++node_.seen.coinbases[block->height];
  if (block->height < node_.chain().height() - kDeepest) {
    return serve_whole_block({p2p::InventoryType::WitnessBlock, util::retag<util::Hash256>(request.block)}, out);
  }
  p2p::BlockTxn answer{request.block, {}};
  for (const auto index : request.indexes) answer.transactions.push_back(block->txs.at(index));
  out.messages.emplace_back(std::move(answer));
}

void FakePeer::on(const p2p::GetAddr&, Reply& out) {
  if (node_.addresses.empty()) return;
  const auto count = std::min(node_.addresses.size(), p2p::kMaxAddresses);
  out.messages.emplace_back(
      p2p::Addr{{node_.addresses.begin(), node_.addresses.begin() + static_cast<std::ptrdiff_t>(count)}});
}

chain::Height FakePeer::locate(const std::vector<chain::BlockHash>& locator) const {
  for (const auto& hash : locator) {
    const Block* block = node_.find_block(hash);
    if (block != nullptr && node_.chain().contains({block->height, hash})) return block->height;
  }
  return 0;
}

void FakePeer::serve_filtered_block(const p2p::InventoryItem& item, Reply& out) {
  const auto hash = util::retag<chain::BlockHash>(item.hash);
  const Block* block = node_.find_block(hash);
  block != nullptr ? ++node_.seen.filtered_blocks[block->height] : static_cast<int>(++node_.seen.unknown_blocks);
  if (!offers(p2p::services::kBloom)) {
    out.closed = true;
    return;
  }
  if (block == nullptr || !filter_ || block->height < node_.pruned_below) return;
  if (node_.forgets_stale_blocks && !node_.chain().contains({block->height, hash})) return;
  std::vector<bool> matched;
  for (std::size_t i = 0; i < block->txs.size(); ++i) matched.push_back(matches(block->txs[i], block->txids[i]));
  out.messages.emplace_back(p2p::MerkleBlock{block->header, bip37::build_partial_tree(block->txids, matched)});
  for (std::size_t i = 0; i < block->txs.size(); ++i) {
    if (matched[i]) out.messages.emplace_back(p2p::Tx{without_witness(block->txs[i])});
  }
}

void FakePeer::serve_whole_block(const p2p::InventoryItem& item, Reply& out) {
  const auto hash = util::retag<chain::BlockHash>(item.hash);
  const Block* block = node_.find_block(hash);
  block != nullptr ? ++node_.seen.whole_blocks[block->height] : static_cast<int>(++node_.seen.unknown_blocks);
  if (block == nullptr || block->height < node_.pruned_below) return;
  if (node_.forgets_stale_blocks && !node_.chain().contains({block->height, hash})) return;
  util::Bytes bytes = block->serialize();
  bytes.erase(bytes.begin(), bytes.begin() + chain::BlockHeader::kSize);
  out.messages.emplace_back(p2p::Block::owning(block->header, std::move(bytes)));
}

bool FakePeer::serve_tx(const p2p::InventoryItem& item, Reply& out) {
  const MempoolEntry* entry = node_.in_mempool(util::retag<chain::Txid>(item.hash));
  if (entry == nullptr || node_.omits(entry->txid)) return false;
  const bool witness = item.type == p2p::InventoryType::WitnessTx;
  out.messages.emplace_back(p2p::Tx{witness ? entry->tx : without_witness(entry->tx)});
  return true;
}

// The fee is looked at first: what it silences never touches the filter.
bool FakePeer::passes(const MempoolEntry& entry) {
  if (entry.sat_per_kvb < fee_filter_) return false;
  return filter_ ? matches(entry.tx, entry.txid) : !node_.omits(entry.txid);
}

bool FakePeer::matches(const chain::Transaction& tx, const chain::Txid& txid) {
  return !node_.omits(txid) && bip37::match_and_update(tx, txid, *filter_);
}

Reply FakePeer::finish(Reply reply) {
  node_.tamper(reply);
  closed_ = reply.closed;
  return reply;
}

}  // namespace spv::test
