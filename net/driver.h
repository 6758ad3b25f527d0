// Driver: the shell around the engine: sockets, the only timer, the clocks. It tells the engine what happened and does
// what the engine says; all decisions are there. One thread; no Asio in this header.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chain/params.h"
#include "net/clock.h"
#include "net/lookup.h"
#include "net/socks5.h"
#include "net/traffic.h"
#include "net/transport_choice.h"
#include "net/usage.h"
#include "sync/engine/engine.h"
#include "util/log.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::net {

/// Why run() came back.
enum class RunResult { Finished, Stopped, TimedOut, BudgetSpent, Failed };

/// What the driver calls on its own thread. An exception ends run() and comes out of it; on a loop of the caller's it
/// ends the work with RunResult::Failed.
struct DriverHooks {
  std::function<void(const std::vector<sync::MemberChanges>&)> persist;
  std::function<void(const sync::Event&)> notify;
  /// Called about four times a second while running.
  std::function<void()> heartbeat;
  /// Asked after each heartbeat: true ends the work as if the engine had finished.
  std::function<bool()> is_enough;
  /// Makes each step, in which the engine works and the hooks above are called: where others look at its state, a lock
  /// is held around it. None: steps are made as they are.
  std::function<void(const std::function<void()>& step)> around;
  /// Called after each step, outside of it.
  std::function<void()> after;
  util::LogSink log;
};

struct DriverOptions {
  /// Ends run() after this time, whatever was reached.
  std::optional<util::Duration> timeout;
  /// Stay after Finished, until a signal comes.
  bool follow = false;
  TransportChoice transport = TransportChoice::Auto;
  /// With Auto, v1 for a node on this machine: nobody listens in between, and encryption costs it half of its speed.
  bool plain_on_loopback = false;
  /// All connections go through it, and no name is looked up here.
  std::optional<Proxy> proxy;
  /// What may still be read and written, shared by all drivers of a loop and counted down; null: no bound.
  std::uint64_t* budget = nullptr;
  /// Where it is counted what messages cost and reveal, shared by all drivers of a loop; null: nowhere.
  Usage* usage = nullptr;
  /// What says how late it is.
  Clock clock = read_clock;
  /// Makes all connections, if there is one, instead of the system and the proxy.
  Dial dial = {};
  /// How names are looked up.
  Lookup lookup = system_lookup;
  /// The seeds to ask for nodes; those of the network if none are given.
  std::vector<std::string> seeds;
  /// A peer that does not take what we send for this long is left.
  util::Duration write_timeout = std::chrono::seconds(30);
  /// A message must end this long after it began.
  util::Duration frame_timeout = std::chrono::seconds(60);
};

class Driver {
 public:
  /// `engine` outlives the driver.
  Driver(sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options, DriverHooks hooks);
  /// On a loop that others run: start() instead of run().
  Driver(boost::asio::io_context& io, sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options,
         DriverHooks hooks);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Runs until the engine has finished (unless following), SIGINT or SIGTERM comes, or the time is up.
  RunResult run();
  /// Begins on the loop given; `done` is called there, last of all, unless stop() ends it. No signal is looked at.
  void start(std::function<void(RunResult, std::string)> done);
  /// Ends it: what was verified is persisted, all connections are closed, nothing is called any more. From the thread
  /// of the loop, or while that does not run; not from within a step.
  void stop();
  /// Tells the engine what happened beyond the network. From the thread of the loop.
  void feed(sync::Input&& input);
  /// How long the loop should wait for more to come.
  [[nodiscard]] util::Duration gather_time() const;
  [[nodiscard]] Traffic traffic() const;
  /// The transport that was last spoken with an address: "v1", "v2", or nothing.
  [[nodiscard]] std::string transport(const sync::PeerAddress& address) const;
  /// The signal that ended run(), SIGINT or SIGTERM; 0: none did.
  [[nodiscard]] int stopped_by() const;
  /// Set once the engine gave up.
  [[nodiscard]] const std::optional<sync::Failure>& failure() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // handlers that are under way hold it too
};

}  // namespace spv::net
