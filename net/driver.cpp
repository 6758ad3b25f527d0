#include "net/driver.h"

#include <csignal>
#include <map>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/clock.h"
#include "net/connection.h"
#include "net/read_pace.h"
#include "net/seeds.h"
#include "util/overloaded.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {
constexpr auto kHeartbeat = std::chrono::milliseconds(250);
}

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
        resolver_(io_, options_.lookup),
        setup_{io_,
               resolver_,
               params.magic,
               options_.transport,
               options_.proxy,
               options_.write_timeout,
               options_.frame_timeout,
               options_.plain_on_loopback,
               options_.dial,
               options_.clock} {}

  RunResult run() {
    asio::signal_set signals(io_, SIGINT, SIGTERM);
    signals.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) end(RunResult::Stopped);
    });
    begin();
    while (io_.run_one() > 0) {
      io_.poll();
      std::this_thread::sleep_for(gather_time());
    }
    if (hooks_.heartbeat) hooks_.heartbeat();
    return result_;
  }

  void start(std::function<void(RunResult, std::string)> done) {
    done_ = std::move(done);
    begin();
  }

  void stop() {
    done_ = nullptr;
    end(RunResult::Stopped);
  }

  [[nodiscard]] util::Duration gather_time() const {
    if (stopped_ || !pace_.gathers(options_.clock().monotonic)) return util::Duration::zero();
    return connections_.size() == 1 ? ReadPace::kGatherTime : ReadPace::kGatherTimeOfSeveral;
  }

  // Tell, then obey. An order may lead to new facts, but only by way of the loop: this is never entered twice.
  void feed(const sync::Input& input) override {
    step([&] {
      for (const auto& action : engine_.handle(input, options_.clock())) perform(action);
      if (const auto* failed = std::get_if<sync::ConnectFailed>(&input)) forget(failed->peer);
      if (const auto* lost = std::get_if<sync::PeerDisconnected>(&input)) forget(lost->peer);
      set_timer();
    });
  }
  void count_in(std::size_t bytes) override {
    traffic_.bytes_in += bytes;
    pace_.on_read(bytes, options_.clock().monotonic);
    spend(bytes);
  }
  void count_out(std::size_t bytes) override {
    traffic_.bytes_out += bytes;
    spend(bytes);
  }

  void note_transport(const sync::PeerAddress& address, std::string_view name) override {
    transports_[address] = std::string(name);
  }

  [[nodiscard]] Traffic traffic() const { return traffic_; }
  [[nodiscard]] std::string transport(const sync::PeerAddress& address) const {
    const auto found = transports_.find(address);
    return found == transports_.end() ? std::string() : found->second;
  }
  [[nodiscard]] const std::optional<sync::Failure>& failure() const { return failure_; }

 private:
  void begin() {
    if (options_.timeout) {
      limit_.expires_after(*options_.timeout);
      limit_.async_wait([this, kept = keep()](const boost::system::error_code& error) {
        if (!error) end(RunResult::TimedOut);
      });
    }
    beat();
    feed(sync::Started{});
  }

  /// For what waits in a loop of the caller's, which outlives the driver; ours goes with it.
  std::shared_ptr<Impl> keep() { return own_ ? nullptr : shared_from_this(); }

  /// One step of the work. On a loop of the caller's nothing is thrown into it.
  template <typename Work>
  void step(Work work) {
    if (stopped_) return;
    const auto self = shared_from_this();  // what is called may let the driver go
    {
      const auto hold = hooks_.guard == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*hooks_.guard);
      try {
        work();
      } catch (const std::exception& error) {
        if (own_) throw;
        trouble_ = error.what();
        halt(RunResult::Failed);
      }
    }
    if (hooks_.after) hooks_.after();
    if (stopped_ && done_) std::exchange(done_, nullptr)(result_, trouble_);
  }

  void spend(std::size_t bytes) {
    if (stopped_ || options_.budget == nullptr) return;  // what counts may be gone by then
    *options_.budget -= std::min<std::uint64_t>(*options_.budget, bytes);
    if (*options_.budget > 0) return;
    asio::post(io_, [this, kept = keep()] { end(RunResult::BudgetSpent); });
  }

  void end(RunResult result) {
    step([&] {
      // The engine has nothing left once it finished; else what it verified since the last commit is still with it.
      for (const auto& action : engine_.stop(options_.clock())) perform(action);
      halt(result);
    });
  }

  void perform(const sync::Action& action) {
    std::visit(util::Overloaded{[this](const sync::Connect& order) { connect(order); },
                                [this](const sync::Send& order) { send(order); },
                                [this](const sync::Disconnect& order) { disconnect(order); },
                                [this](const sync::Persist& order) { hooks_.persist(order.changes); },
                                [this](const sync::Notify& order) { notify(order.event); },
                                [this](const sync::FindPeers&) { find_peers(); }},
               action);
  }

  void connect(const sync::Connect& order) {
    log(util::LogLevel::Debug, "connecting to " + sync::to_string(order.address));
    // A connection ends by way of the loop: what it refers to stays as long.
    const std::shared_ptr<Connection> connection(
        new Connection(setup_, order.peer, *this),
        [kept = keep()](Connection* gone) { delete gone; });  // NOLINT(cppcoreguidelines-owning-memory)
    connections_[order.peer] = connection;
    connection->start(order.address);
  }

  void find_peers() {
    std::vector<std::string> seeds = options_.seeds;
    if (seeds.empty()) seeds.assign(params_.dns_seeds.begin(), params_.dns_seeds.end());
    log(util::LogLevel::Info, "asking " + std::to_string(seeds.size()) + " seeds for nodes");
    ask_seeds(io_, resolver_, seeds, params_.default_port, options_.proxy.has_value() || options_.dial,
              [this, kept = keep()](sync::PeersFound found) { feed(found); });
  }

  void send(const sync::Send& order) {
    const auto found = connections_.find(order.peer);
    if (found != connections_.end()) found->second->send(order.message);
  }

  void disconnect(const sync::Disconnect& order) {
    log(util::LogLevel::Debug, "disconnecting: " + std::string(sync::to_string(order.reason)));
    forget(order.peer);
  }

  void forget(sync::PeerId peer) {
    const auto found = connections_.find(peer);
    if (found == connections_.end()) return;
    found->second->close();
    connections_.erase(found);
  }

  void notify(const sync::Event& event) {
    if (hooks_.notify) hooks_.notify(event);
    const auto* finished = std::get_if<sync::Finished>(&event);
    if (finished == nullptr) return;
    failure_ = finished->failure;
    if (!options_.follow || failure_) halt(RunResult::Finished);
  }

  void halt(RunResult result) {
    if (stopped_) return;
    stopped_ = true;
    result_ = result;
    for (auto& [id, connection] : connections_) connection->close();
    connections_.clear();
    timer_.cancel();
    heartbeat_.cancel();
    limit_.cancel();
    if (own_) io_.stop();  // a lookup may still run; nobody waits for it
  }

  // A deadline moves on with every block: a timer that is set for an earlier one is left to fire and look again.
  void set_timer() {
    const auto deadline = engine_.next_deadline();
    if (stopped_ || !deadline || (timer_at_ && *timer_at_ <= *deadline)) return;
    timer_at_ = deadline;
    timer_.expires_after(std::max(*deadline - options_.clock().monotonic, util::Duration::zero()));
    timer_.async_wait([this, kept = keep()](const boost::system::error_code& error) {
      if (!error) on_timer();
    });
  }

  void on_timer() {
    timer_at_.reset();
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
    heartbeat_.expires_after(kHeartbeat);
    heartbeat_.async_wait([this, kept = keep()](const boost::system::error_code& error) {
      if (!error) on_beat();
    });
  }

  void on_beat() {
    step([&] {
      for (auto& [id, connection] : connections_) connection->check_deadlines();
      if (hooks_.heartbeat) hooks_.heartbeat();
      beat();
    });
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
  asio::steady_timer timer_{io_};
  asio::steady_timer heartbeat_{io_};
  asio::steady_timer limit_{io_};
  std::optional<util::TimePoint> timer_at_;
  Resolver resolver_;
  ConnectionSetup setup_;
  std::map<sync::PeerId, std::shared_ptr<Connection>> connections_;
  std::map<sync::PeerAddress, std::string> transports_;
  Traffic traffic_;
  ReadPace pace_;
  std::optional<sync::Failure> failure_;
  RunResult result_ = RunResult::Finished;
  std::string trouble_;  // why it failed
  std::function<void(RunResult, std::string)> done_;
  bool stopped_ = false;
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
void Driver::feed(const sync::Input& input) { impl_->feed(input); }
util::Duration Driver::gather_time() const { return impl_->gather_time(); }
Traffic Driver::traffic() const { return impl_->traffic(); }
std::string Driver::transport(const sync::PeerAddress& address) const { return impl_->transport(address); }
const std::optional<sync::Failure>& Driver::failure() const { return impl_->failure(); }

}  // namespace spv::net
