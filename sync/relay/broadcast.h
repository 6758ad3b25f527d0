// Broadcast: one transaction on its way into the network, and the evidence of where it has come (protocol.md P14: no
// node says what it takes). It is told to one peer; the others are kept in the dark, because one of those that
// announces it shows that it was taken and passed on. Whoever it is told to may fetch it once, and its parents.
//
//   requested --announce--> Announced --getdata--> Fetched --a peer that it was not sent to has it--> Accepted
//       |                      |--not fetched in time, or lost: one more peer is told
//       \----------------------\--nobody fetches it--> Uncertain
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/relay/announcers.h"
#include "sync/types/outbox.h"
#include "util/rng.h"

namespace spv::sync {

struct BroadcastTiming {
  /// How long evidence is waited for, from the first announcement.
  util::Duration wait = std::chrono::seconds(30);
  /// How long one peer has to fetch it before another is told. A node takes up to four seconds to ask.
  util::Duration patience = std::chrono::seconds(8);
  /// How long one that did not fetch it has to say whether it has it.
  util::Duration answer = std::chrono::seconds(2);
  /// How long others are waited for that may have it too.
  util::Duration gather = std::chrono::seconds(3);
  /// How long a peer that took it may ask for parents that it has not fetched.
  util::Duration orphan = std::chrono::seconds(6);
  /// How long somebody to tell is looked for.
  util::Duration search = std::chrono::seconds(60);
};

/// Who else there is.
struct Onlookers {
  /// Connected peers that would announce it to us, and have not.
  std::size_t silent = 0;
  /// More are about to connect.
  bool more_to_come = false;
};

class Broadcast {
 public:
  /// At most so many peers are told while none takes it.
  static constexpr std::size_t kMaxTold = 4;
  /// Where it is only told again: nobody is waited for that announces it.
  static constexpr std::size_t kMaxToldAgain = 2;

  enum class Purpose { Evidence, TellAgain };
  Broadcast(BroadcastRequested request, Purpose purpose, BroadcastTiming timing, util::Now now);

  [[nodiscard]] const chain::Txid& txid() const { return items_.back().txid; }
  [[nodiscard]] util::TimePoint requested_at() const { return requested_at_; }
  [[nodiscard]] bool ended() const { return told_user_ && told_user_->final; }
  [[nodiscard]] bool was_told(PeerId peer) const { return told_.contains(peer); }
  /// True if this peer was found to have it by itself.
  [[nodiscard]] bool is_holder(const std::string& name) const { return holders_.contains(name); }
  /// True if it should be told to one (more) peer now.
  [[nodiscard]] bool wants_peer(const Onlookers& others, util::Now now) const;
  /// Announces it, and before it those parents that nobody has announced to us.
  void announce(PeerId peer, std::string name, const Announcers& announcers, util::Now now, Outbox& out);
  /// The peer was found to have it by itself.
  void note_holder(PeerId peer, const std::string& name, util::Now now);

  /// Sends what was announced to this peer, each transaction once, and nothing else.
  void on(PeerId peer, const p2p::GetData& message, util::Rng& rng, util::Now now, Outbox& out);
  void on(PeerId peer, const std::string& name, const p2p::Inv& message, util::Now now);
  /// True if that ends what we sent.
  bool on(PeerId peer, const p2p::Pong& message, util::Now now);
  /// A transaction came; true if we asked for it, to see whether the peer has it.
  bool on_tx(PeerId peer, const chain::Txid& txid, util::Now now);
  void on_peer_lost(PeerId peer);
  void on_confirmed() { confirmed_ = true; }

  /// Asks peers that do not fetch it whether they have it, tells the user what is new, and ends where all is known.
  void advance(const Onlookers& others, util::Now now, Outbox& out);
  /// There is no more time: tells the user what is known.
  void end(Outbox& out);
  /// When advance() has something to do, if nothing happens before.
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  struct Item {
    chain::Txid txid;
    chain::Transaction tx;
  };
  /// A peer that it was announced to.
  struct Told {
    std::string name;
    util::TimePoint at{};
    std::set<chain::Txid> sent;
    std::optional<std::uint64_t> fence;  // a ping behind the transaction, whose pong says that it was read
    std::optional<util::TimePoint> delivered;
    bool asked = false;  // whether it has it
    bool lost = false;
  };
  [[nodiscard]] bool took(const Told& told) const { return told.sent.contains(txid()); }
  [[nodiscard]] bool is_waiting_for_parents(const Told& told, util::TimePoint now) const;
  [[nodiscard]] bool is_known(const Onlookers& others, util::TimePoint now) const;
  [[nodiscard]] bool is_enough(util::TimePoint now) const;
  [[nodiscard]] BroadcastState state() const;
  void tell_user(bool final, Outbox& out);

  std::vector<Item> items_;  // parents first, itself last
  Purpose purpose_;
  BroadcastTiming timing_;
  util::TimePoint requested_at_;
  std::optional<util::TimePoint> first_told_;
  std::optional<util::TimePoint> first_held_;
  std::map<PeerId, Told> told_;
  std::set<std::string> holders_;  // that it was not sent to
  bool confirmed_ = false;
  std::optional<BroadcastChanged> told_user_;
  util::TimePoint looked_at_{};  // when advance() was last called
};

}  // namespace spv::sync
