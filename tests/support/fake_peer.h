// FakePeer: one connection to a FakeNode. Answers as Bitcoin Core does (docs: what a full node really does with
// BIP37): in order, with silence where Core is silent, and hanging up where Core hangs up.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "bip37/bloom_filter.h"
#include "p2p/message.h"
#include "tests/support/chain_builder.h"
#include "tests/support/fake_node.h"

namespace spv::test {

class FakePeer {
 public:
  /// A fresh inbound connection, before the client's version message. `node` outlives it.
  explicit FakePeer(FakeNode& node);

  /// What the node sends in answer to a message. After `closed` it answers nothing more.
  Reply handle(const p2p::Message& message);
  /// Tells a new tip, if the chain changed since the last call: by headers, or by inv if the client did not ask
  /// for headers, lacks their parent, or there are more than eight.
  Reply announce_tip();
  /// The node's next round of transaction announcements: the answer to `mempool`, and what is new in the mempool.
  /// The caller decides when (Core: about every five seconds; a pong does not wait for it).
  Reply trickle();
  /// Both parts of the handshake in one step, for tests that are about something else.
  Reply shake_hands();

  [[nodiscard]] bool ready() const { return state_ == State::Ready; }
  [[nodiscard]] bool closed() const { return closed_; }
  /// The client's filter as the node has it now.
  [[nodiscard]] const std::optional<bip37::BloomFilter>& filter() const { return filter_; }
  [[nodiscard]] std::int64_t fee_filter() const { return fee_filter_; }
  [[nodiscard]] bool sends_headers() const { return send_headers_; }

 private:
  enum class State { AwaitingVersion, AwaitingVerack, Ready };

  void on(const p2p::Version& version, Reply& out);
  void on(const p2p::Verack& verack, Reply& out);
  void on(const p2p::Ping& ping, Reply& out);
  void on(const p2p::GetHeaders& request, Reply& out);
  void on(const p2p::SendHeaders& message, Reply& out);
  void on(const p2p::Inv& inv, Reply& out);
  void on(const p2p::GetData& request, Reply& out);
  void on(const p2p::Tx& tx, Reply& out);
  void on(const p2p::FilterLoad& load, Reply& out);
  void on(const p2p::FilterClear& clear, Reply& out);
  void on(const p2p::FeeFilter& fee, Reply& out);
  void on(const p2p::Mempool& request, Reply& out);
  void on(const p2p::GetAddr& request, Reply& out);
  void on(const p2p::GetBlockTxn& request, Reply& out);
  void on(const p2p::GetCFilters& request, Reply& out);
  void on(const p2p::GetCFHeaders& request, Reply& out);
  void on(const p2p::GetCFCheckpt& request, Reply& out);
  template <typename Other>
  void on(const Other&, Reply&) {}  // what a node ignores

  [[nodiscard]] bool offers(std::uint64_t service) const { return (node_.services & service) != 0; }
  [[nodiscard]] chain::Height locate(const std::vector<chain::BlockHash>& locator) const;
  void serve_filtered_block(const p2p::InventoryItem& item, Reply& out);
  void serve_whole_block(const p2p::InventoryItem& item, Reply& out);
  bool serve_tx(const p2p::InventoryItem& item, Reply& out);
  const FilterIndex::Entry* filter_stop(std::uint8_t type, const chain::BlockHash& stop, Reply& out);
  const FilterIndex::Entry* filter_range_stop(const p2p::FilterRange& range, chain::Height limit, Reply& out);
  bool passes(const MempoolEntry& entry);
  bool matches(const chain::Transaction& tx, const chain::Txid& txid);
  Reply finish(Reply reply);

  FakeNode& node_;
  State state_ = State::AwaitingVersion;
  bool closed_ = false;
  std::uint64_t client_services_ = 0;
  bool relay_ = false;
  bool send_headers_ = false;
  bool mempool_asked_ = false;
  std::int64_t fee_filter_ = 0;
  std::optional<bip37::BloomFilter> filter_;
  std::set<chain::Txid> told_;       // transactions that either side announced
  std::set<chain::Txid> looked_at_;  // were or were not announced when they came
  ChainBuilder announced_;           // the chain as of the last announcement
  chain::Height headers_sent_ = 0;   // up to here the client has that chain's headers
};

}  // namespace spv::test
