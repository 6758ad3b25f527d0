#include "net/driver.h"

#include <csignal>
#include <map>
#include <thread>

#include <boost/asio/io_context.hpp>
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

class Driver::Impl final : public ConnectionEvents {
 public:
  Impl(sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options, DriverHooks hooks)
      : engine_(engine),
        params_(params),
        options_(std::move(options)),
        hooks_(std::move(hooks)),
        resolver_(io_, options_.lookup),
        setup_{io_,
               resolver_,
               params.magic,
               options_.transport,
               options_.proxy,
               options_.write_timeout,
               options_.frame_timeout,
               options_.plain_on_loopback} {}

  RunResult run() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) stop(RunResult::Stopped);
    });
    if (options_.timeout) {
      limit_.expires_after(*options_.timeout);
      limit_.async_wait([this](const boost::system::error_code& error) {
        if (!error) stop(RunResult::TimedOut);
      });
    }
    beat();
    feed(sync::Started{});
    while (io_.run_one() > 0) {
      io_.poll();
      if (gathers()) std::this_thread::sleep_for(ReadPace::kGatherTime);
    }
    if (hooks_.heartbeat) hooks_.heartbeat();
    return result_;
  }

  // Tell, then obey. An order may lead to new facts, but only by way of the loop: this is never entered twice.
  void feed(const sync::Input& input) override {
    if (stopped_) return;
    for (const auto& action : engine_.handle(input, read_clock())) perform(action);
    if (const auto* failed = std::get_if<sync::ConnectFailed>(&input)) forget(failed->peer);
    if (const auto* lost = std::get_if<sync::PeerDisconnected>(&input)) forget(lost->peer);
    set_timer();
  }
  void count_in(std::size_t bytes) override {
    traffic_.bytes_in += bytes;
    pace_.on_read(bytes, read_clock().monotonic);
  }
  void count_out(std::size_t bytes) override { traffic_.bytes_out += bytes; }

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
  // Among several peers what one finds matters to the others at once.
  [[nodiscard]] bool gathers() const {
    return !stopped_ && connections_.size() == 1 && pace_.gathers(read_clock().monotonic);
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
    auto connection = std::make_shared<Connection>(setup_, order.peer, *this);
    connections_[order.peer] = connection;
    connection->start(order.address);
  }

  void find_peers() {
    std::vector<std::string> seeds = options_.seeds;
    if (seeds.empty()) seeds.assign(params_.dns_seeds.begin(), params_.dns_seeds.end());
    log(util::LogLevel::Info, "asking " + std::to_string(seeds.size()) + " seeds for nodes");
    ask_seeds(io_, resolver_, seeds, params_.default_port, options_.proxy.has_value(),
              [this](sync::PeersFound found) { feed(found); });
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
    if (!options_.follow || failure_) stop(RunResult::Finished);
  }

  void stop(RunResult result) {
    if (stopped_) return;
    stopped_ = true;
    result_ = result;
    // The engine has nothing left once it finished; else what it verified since the last commit is still with it.
    if (result != RunResult::Finished) {
      for (const auto& action : engine_.stop(read_clock())) perform(action);
    }
    for (auto& [id, connection] : connections_) connection->close();
    timer_.cancel();
    heartbeat_.cancel();
    limit_.cancel();
    signals_.cancel();
    io_.stop();  // a lookup may still run; nobody waits for it
  }

  // A deadline moves on with every block: a timer that is set for an earlier one is left to fire and look again.
  void set_timer() {
    const auto deadline = engine_.next_deadline();
    if (stopped_ || !deadline || (timer_at_ && *timer_at_ <= *deadline)) return;
    timer_at_ = deadline;
    timer_.expires_after(std::max(*deadline - read_clock().monotonic, util::Duration::zero()));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) on_timer();
    });
  }

  void on_timer() {
    timer_at_.reset();
    const auto deadline = engine_.next_deadline();
    if (deadline && *deadline <= read_clock().monotonic) return feed(sync::Tick{});
    set_timer();
  }

  void beat() {
    heartbeat_.expires_after(kHeartbeat);
    heartbeat_.async_wait([this](const boost::system::error_code& error) {
      if (error || stopped_) return;
      for (auto& [id, connection] : connections_) connection->check_deadlines(read_clock().monotonic);
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
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
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
  bool stopped_ = false;
};

Driver::Driver(sync::Engine& engine, const chain::NetworkParams& params, DriverOptions options, DriverHooks hooks)
    : impl_(std::make_unique<Impl>(engine, params, std::move(options), std::move(hooks))) {}
Driver::~Driver() = default;

RunResult Driver::run() { return impl_->run(); }
Traffic Driver::traffic() const { return impl_->traffic(); }
std::string Driver::transport(const sync::PeerAddress& address) const { return impl_->transport(address); }
const std::optional<sync::Failure>& Driver::failure() const { return impl_->failure(); }

}  // namespace spv::net
