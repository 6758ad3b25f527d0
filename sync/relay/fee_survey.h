// FeeSurvey: asks what a transaction must pay. The floor is what peers announce by themselves; for the estimate two
// peers are asked for the coinbase of the newest blocks (getblocktxn, BIP152), a few hundred bytes each. A node sends
// whole blocks where it is asked for deeper ones: it never is. Where two peers differ about a block, neither counts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "chain/header_chain.h"
#include "sync/relay/fee_floor.h"
#include "sync/types/outbox.h"
#include "util/rng.h"

namespace spv::sync {

class FeeSurvey {
 public:
  static constexpr chain::Height kBlocks = 10;
  static constexpr std::size_t kSources = 2;
  /// How long the answers may take, and how long peers and headers are waited for before.
  static constexpr util::Duration kAnswerTime = std::chrono::seconds(8);
  static constexpr util::Duration kLongest = std::chrono::seconds(30);

  /// The chain outlives this.
  explicit FeeSurvey(const chain::HeaderChain& chain) : chain_(chain) {}

  void start(util::Now now);
  [[nodiscard]] bool is_active() const { return begun_.has_value(); }

  /// Who there is to ask.
  struct Company {
    std::vector<PeerId> ready;
    /// More are about to connect.
    bool more_to_come = false;
    /// Our headers are as new as theirs.
    bool caught_up = false;
  };
  void advance(const Company& company, util::Now now, util::Rng& rng, Outbox& out);
  /// There is no more time: says what is known.
  void end(Outbox& out);

  void on(PeerId peer, const p2p::FeeFilter& message) { floor_.on(peer, message); }
  /// True if we asked for it.
  bool on(PeerId peer, const p2p::BlockTxn& message);
  void on_peer_lost(PeerId peer);
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  /// What peers said of one block: the coinbase by its txid, and what it earned; nothing where that made no sense.
  struct Answer {
    chain::Txid coinbase;
    std::optional<chain::Amount> fees;
  };
  void ask(const Company& company, util::Now now, util::Rng& rng, Outbox& out);
  [[nodiscard]] bool is_done(const Company& company, util::Now now) const;
  [[nodiscard]] FeesKnown result() const;

  const chain::HeaderChain& chain_;
  FeeFloor floor_;
  std::optional<util::TimePoint> begun_;
  std::optional<util::TimePoint> asked_at_;
  std::map<std::pair<PeerId, chain::BlockHash>, chain::Height> questions_;  // not answered yet
  std::map<chain::Height, std::vector<Answer>> answers_;
};

}  // namespace spv::sync
