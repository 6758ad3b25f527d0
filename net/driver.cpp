#include "net/driver.h"

#include <csignal>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include "net/activity_log.h"
#include "net/connections.h"
#include "net/driver_timers.h"
#include "net/seeds.h"
#include "net/traffic_meter.h"
#include "util/overloaded.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {

/// How the work ended: decided once, reported once.
class Ending {
 public:
  using Report = std::function<void(RunResult, std::string)>;

  void report_to(Report report) { report_ = std::move(report); }
  /// False if another end came before.
  bool reach(RunResult result) {
    if (reached_) return false;
    reached_ = true;
    result_ = result;
    return true;
  }
  void note_trouble(std::string what) { trouble_ = std::move(what); }
  void note_failure(const std::optional<sync::Failure>& failure) { failure_ = failure; }
  void report() {
    if (reached_ && report_) std::exchange(report_, nullptr)(result_, trouble_);
  }
  [[nodiscard]] bool reached() const { return reached_; }
  [[nodiscard]] RunResult result() const { return result_; }
  [[nodiscard]] const std::optional<sync::Failure>& failure() const { return failure_; }

 private:
  bool reached_ = false;
  RunResult result_ = RunResult::Finished;
  std::string trouble_;  // what was thrown
  std::optional<sync::Failure> failure_;
  Report report_;
};

/// Whose connection has ended, if that is what happened.
std::optional<sync::PeerId> lost_peer(const sync::Input& input) {
  if (const auto* failed = std::get_if<sync::ConnectFailed>(&input)) return failed->peer;
  if (const auto* lost = std::get_if<sync::PeerDisconnected>(&input)) return lost->peer;
  return std::nullopt;
}

ConnectionSetup connection_setup(asio::io_context& io, Resolver& resolver, const p2p::Magic& magic,
                                 const DriverOptions& options) {
  return {.io = io,
          .resolver = resolver,
          .magic = magic,
          .transport = options.transport,
          .proxy = options.proxy,
          .write_timeout = options.write_timeout,
          .frame_timeout = options.frame_timeout,
          .plain_on_loopback = options.plain_on_loopback,
          .dial = options.dial,
          .clock = options.clock};
}

}  // namespace

class Driver::Impl final : public ConnectionEvents, public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context* loop, sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options,
       DriverHooks hooks)
      : engine_(engine),
        params_(params),
        options_(std::move(options)),
        hooks_(std::move(hooks)),
        own_(loop == nullptr ? std::make_unique<asio::io_context>(1) : nullptr),
        io_(loop == nullptr ? *own_ : *loop),
        timers_(io_),
        resolver_(io_, options_.lookup),
        connections_(connection_setup(io_, resolver_, params.magic, options_)),
        meter_(options_.budget),
        activity_(hooks_.log) {}

  RunResult run() {
    asio::signal_set signals(io_, SIGINT, SIGTERM);
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      stopped_by_ = signal;
      end(RunResult::Stopped);
    });
    begin();
    while (io_.run_one() > 0) {
      io_.poll();
      std::this_thread::sleep_for(gather_time());
    }
    if (hooks_.heartbeat) hooks_.heartbeat();
    return ending_.result();
  }

  void start(Ending::Report done) {
    ending_.report_to(std::move(done));
    begin();
  }

  void stop() {
    ending_.report_to(nullptr);
    end(RunResult::Stopped);
  }

  [[nodiscard]] util::Duration gather_time() const {
    if (ending_.reached()) return util::Duration::zero();
    return meter_.gather_time(connections_.size(), options_.clock().monotonic);
  }

  // Tell, then obey. An order may lead to new facts, but only by way of the loop: this is never entered twice.
  void feed(sync::Input&& input) override {
    step([&] {
      const auto gone = lost_peer(input);
      const util::Now now = options_.clock();
      activity_.on(input, now.monotonic);
      for (const auto& action : engine_.ahead(input, now)) perform(action);
      for (const auto& action : engine_.handle(std::move(input), now)) perform(action);
      if (gone) connections_.close(*gone);
      set_timer();
    });
  }
  void count_in(std::size_t bytes) override {
    meter_.on_read(bytes, options_.clock().monotonic);
    spend(bytes);
  }
  void count_out(std::size_t bytes) override {
    meter_.on_write(bytes);
    spend(bytes);
  }
  void note_received(const sync::PeerAddress& from, const p2p::Message& message, std::size_t bytes) override {
    if (options_.usage != nullptr) options_.usage->on_received(from, message, bytes, options_.clock().wall);
  }
  void note_sent(const sync::PeerAddress& to, const p2p::Message& message, std::size_t bytes) override {
    if (options_.usage != nullptr) options_.usage->on_sent(to, message, bytes, options_.clock().wall);
  }
  void note_transport(const sync::PeerAddress& address, std::string_view name) override {
    connections_.note_transport(address, name);
  }

  [[nodiscard]] Traffic traffic() const { return meter_.traffic(); }
  [[nodiscard]] int stopped_by() const { return stopped_by_; }
  [[nodiscard]] std::string transport(const sync::PeerAddress& address) const {
    return connections_.transport(address);
  }
  [[nodiscard]] const std::optional<sync::Failure>& failure() const { return ending_.failure(); }

 private:
  void begin() {
    if (options_.timeout) timers_.limit(*options_.timeout, [this, kept = keep()] { end(RunResult::TimedOut); });
    beat();
    feed(sync::Started{});
  }

  /// For what waits in a loop of the caller's, which outlives the driver; ours goes with it.
  std::shared_ptr<Impl> keep() { return own_ ? nullptr : shared_from_this(); }

  /// One step of the work. On a loop of the caller's nothing is thrown into it.
  template <typename Work>
  void step(Work work) {
    if (ending_.reached()) return;
    const auto self = shared_from_this();  // what is called may let the driver go
    const auto guarded = [&] {
      try {
        work();
      } catch (const std::exception& error) {
        if (own_) throw;
        ending_.note_trouble(error.what());
        halt(RunResult::Failed);
      }
    };
    if (hooks_.around) {
      hooks_.around(guarded);
    } else {
      guarded();
    }
    if (hooks_.after) hooks_.after();
    ending_.report();
  }

  void spend(std::size_t bytes) {
    if (ending_.reached()) return;  // what counts may be gone by then
    if (meter_.spend(bytes)) asio::post(io_, [this, kept = keep()] { end(RunResult::BudgetSpent); });
  }

  void end(RunResult result) {
    step([&] {
      // The engine has nothing left once it finished; else what it verified since the last commit is still with it.
      for (const auto& action : engine_.stop(options_.clock())) perform(action);
      halt(result);
    });
  }

  void perform(const sync::Action& action) {
    activity_.on(action, options_.clock().monotonic);
    std::visit(util::Overloaded{[this](const sync::Connect& order) { connections_.open(order, *this, keep()); },
                                [this](const sync::Send& order) { connections_.send(order); },
                                [this](const sync::Disconnect& order) { connections_.close(order.peer); },
                                [this](const sync::Persist& order) { hooks_.persist(order.wallets); },
                                [this](const sync::Notify& order) { notify(order.event); },
                                [this](const sync::FindPeers&) { find_peers(); }},
               action);
  }

  void find_peers() {
    std::vector<std::string> seeds = options_.seeds;
    if (seeds.empty()) seeds.assign(params_.dns_seeds.begin(), params_.dns_seeds.end());
    log(util::LogLevel::Info, "asking " + std::to_string(seeds.size()) + " seeds for nodes");
    ask_seeds(io_, resolver_, seeds, params_.default_port, options_.proxy.has_value() || options_.dial,
              [this, kept = keep()](sync::PeersFound found) { feed(std::move(found)); });
  }

  void notify(const sync::Event& event) {
    if (hooks_.notify) hooks_.notify(event);
    const auto* finished = std::get_if<sync::Finished>(&event);
    if (finished == nullptr) return;
    ending_.note_failure(finished->failure);
    if (!options_.follow || finished->failure) halt(RunResult::Finished);
  }

  void halt(RunResult result) {
    if (!ending_.reach(result)) return;
    connections_.close_all();
    timers_.cancel();
    if (own_) io_.stop();  // a lookup may still run; nobody waits for it
  }

  // A deadline moves on with every block: a timer that is set for an earlier one is left to fire and look again.
  void set_timer() {
    const auto deadline = engine_.next_deadline();
    if (ending_.reached() || !deadline || timers_.wakes_by(*deadline)) return;
    timers_.wake_at(*deadline, options_.clock().monotonic, [this, kept = keep()] { on_timer(); });
  }

  void on_timer() {
    step([&] {
      const auto deadline = engine_.next_deadline();
      const util::Now now = options_.clock();
      if (deadline && *deadline <= now.monotonic) {
        for (const auto& action : engine_.handle(sync::Tick{}, now)) perform(action);
      }
      set_timer();
    });
  }

  void beat() {
    timers_.beat([this, kept = keep()] { on_beat(); });
  }

  void on_beat() {
    const auto self = shared_from_this();
    step([&] {
      connections_.check_deadlines();
      if (hooks_.heartbeat) hooks_.heartbeat();
      beat();
    });
    if (hooks_.is_enough && hooks_.is_enough()) end(RunResult::Finished);
  }

  void log(util::LogLevel level, const std::string& text) const {
    if (hooks_.log) hooks_.log(level, text);
  }

  sync::Engine& engine_;
  const chain::NetworkParams& params_;
  DriverOptions options_;
  DriverHooks hooks_;
  std::unique_ptr<asio::io_context> own_;
  asio::io_context& io_;
  DriverTimers timers_;
  Resolver resolver_;
  Connections connections_;
  TrafficMeter meter_;
  ActivityLog activity_;
  Ending ending_;
  int stopped_by_ = 0;
};

Driver::Driver(sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options, DriverHooks hooks)
    : impl_(std::make_shared<Impl>(nullptr, engine, params, std::move(options), std::move(hooks))) {}
Driver::Driver(asio::io_context& io, sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options,
               DriverHooks hooks)
    : impl_(std::make_shared<Impl>(&io, engine, params, std::move(options), std::move(hooks))) {}
Driver::~Driver() = default;

RunResult Driver::run() { return impl_->run(); }
void Driver::start(std::function<void(RunResult, std::string)> done) { impl_->start(std::move(done)); }
void Driver::stop() { impl_->stop(); }
void Driver::feed(sync::Input&& input) { impl_->feed(std::move(input)); }
util::Duration Driver::gather_time() const { return impl_->gather_time(); }
Traffic Driver::traffic() const { return impl_->traffic(); }
std::string Driver::transport(const sync::PeerAddress& address) const { return impl_->transport(address); }
int Driver::stopped_by() const { return impl_->stopped_by(); }
const std::optional<sync::Failure>& Driver::failure() const { return impl_->failure(); }

}  // namespace spv::net
