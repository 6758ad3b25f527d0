// Hub: the Electrum server: its clients, what they see, and what keeps that up to date. Of the server's thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <spv/client.h>
#include <string>

#include <boost/json/fwd.hpp>

#include "client/clock.h"
#include "serve/electrum/errand_desk.h"
#include "serve/electrum/link.h"
#include "serve/electrum/listener.h"
#include "serve/electrum/wallet_keeper.h"
#include "serve/live/rendered_event.h"

namespace spv::serve::electrum {

struct HubOptions {
  ListenerOptions listener;
  bool empty_unknown = false;
  std::size_t clients = 250;  // at a time
};

class Hub final : public LinkOwner {
 public:
  struct Setup {
    boost::asio::io_context& io;
    Client& client;
    client::Clock clock;
    ErrandDesk::Ask ask;
    util::LogSink log;
  };
  /// What it refers to outlives it.
  Hub(Setup setup, HubOptions options);
  ~Hub() override { stop(); }

  /// Gives HOST:PORT.
  util::Expected<std::string, std::string> listen();
  /// The log of events has more; or it begins anew, with none.
  void on_events(std::span<const RenderedEvent> events);
  /// Once a second.
  void tick();
  /// Clients are cut off, and nothing runs any more.
  void stop();

  /// For GET /v1/electrum.
  [[nodiscard]] boost::json::object status() const;
  /// From any thread; the subscriptions as they were a second ago.
  struct Counts {
    std::atomic<std::size_t> clients = 0;
    std::atomic<std::size_t> subscriptions = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

  // --- LinkOwner ---
  [[nodiscard]] const World& world() const override { return world_; }
  [[nodiscard]] const LinkLimits& limits() const override { return limits_; }
  [[nodiscard]] util::TimePoint now() const override { return setup_.clock().monotonic; }
  void carry_out(const std::shared_ptr<Link>& link, Order order) override;
  void on_step(Link& link) override;
  void on_gone(Link& link) override;

 private:
  struct Guest {
    std::shared_ptr<Link> link;
    bool is_greeted = false;   // its name is in the log
    bool is_stranger = false;  // that it asks for what is not followed, too
  };

  bool welcome(const std::shared_ptr<Link>& link);
  void tell(const std::vector<ScriptHash>& changed);
  void look_at_tip();
  void count_subscriptions();
  /// Calls it with each link; any of them may end meanwhile.
  void each_link(const std::function<void(Link&)>& what);
  void log(util::LogLevel level, const std::string& text) const {
    if (setup_.log) setup_.log(level, text);
  }

  Setup setup_;
  HubOptions options_;
  LinkLimits limits_;
  World world_;
  client::Backend backend_;
  client::ChainReader chain_;
  std::shared_ptr<Mailbox> door_;
  struct Threads {
    WorkerPool errands;
    WorkerPool news;  // which wait for no errand of a client
  };
  Threads threads_;
  WalletKeeper keeper_;
  ErrandDesk desk_;
  std::map<Link*, Guest> links_;
  Listener listener_;
  std::string address_;
  Counts counts_;
  std::optional<chain::BlockRef> tip_;  // that clients know, or are about to
};

}  // namespace spv::serve::electrum
