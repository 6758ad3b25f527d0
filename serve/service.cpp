#include "serve/service.h"

#include <csignal>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json.hpp>

#include "client/clock.h"
#include "client/data_folder.h"
#include "report/logged_events.h"
#include "serve/api/api.h"
#include "serve/background.h"
#include "serve/gauges.h"
#include "serve/http/server.h"
#include "serve/token_file.h"
#include "util/rng.h"

namespace spv::serve {
namespace {

namespace asio = boost::asio;
using Places = Service::Places;
using namespace std::chrono_literals;

constexpr auto kTick = 1s;
/// A sync that has ended by itself is started again after this long.
constexpr auto kRestartAfter = 5s;

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

}  // namespace

class Service::Impl {
 public:
  explicit Impl(ServiceOptions options) : options_(std::move(options)), clock_(client::clock_of(options_.client)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): without memory to end in order, the program ends
  ~Impl() { stop(); }

  Result<Places> start() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) end();
    });
    auto urls = parse_webhook_urls(options_.webhooks);
    if (!urls) return invalid("--webhook: " + urls.error());
    if (auto opened = open_client(); !opened) return opened.error();
    const auto token = options_.make_token ? read_or_make_token(options_.token_file) : read_token(options_.token_file);
    if (!token) return Error{ErrorCode::Storage, token.error()};
    make_parts();
    if (auto hooks = make_webhooks(*urls); !hooks) return hooks.error();
    access_.emplace(
        AccessOptions{.token = *token, .host_names = options_.host_names, .entropy = client::fill_with_entropy});
    server_.emplace(io_, server_options(), *access_, *api_);
    auto listening = server_->listen();
    if (!listening) return Error{ErrorCode::Storage, listening.error()};
    const auto electrum = open_electrum();
    if (!electrum) return electrum.error();
    if (auto started = client_->start(); !started) return started.error();
    feed_->start();
    background_.start();
    return Places{"http://" + *listening, *electrum};
  }

  void run() {
    tick();
    io_.run();
    stop();
  }

 private:
  Result<void> open_client() {
    options_.client.follow = true;
    options_.client.follow_all = true;
    auto opened = Client::open(options_.client);
    if (!opened) return opened.error();
    client_.emplace(std::move(*opened));
    backend_.emplace(*client_);
    return {};
  }

  /// Gives HOST:PORT, or nothing if nobody wants it.
  Result<std::string> open_electrum() {
    if (!options_.electrum) return std::string();
    background_.electrum = std::make_unique<electrum::Hub>(
        electrum::Hub::Setup{
            .io = io_,
            .client = *client_,
            .clock = clock_,
            .ask = [this](Request request, Reply reply) { api_->handle(std::move(request), std::move(reply)); },
            .log = options_.log},
        *options_.electrum);
    feed_->listen([this](std::span<const RenderedEvent> events) { background_.electrum->on_events(events); });
    auto listening = background_.electrum->listen();
    if (!listening) return Error{ErrorCode::Storage, listening.error()};
    return *listening;
  }

  [[nodiscard]] RenderEvent render() const {
    return [&params = backend_->params()](const store::LoggedEvent& event) {
      return boost::json::serialize(report::event_json(event, params));
    };
  }

  void make_parts() {
    feed_.emplace(io_, backend_->store(), render(), options_.log);
    background_.pruner.emplace(
        backend_->store(),
        Pruner::Options{.keep = keep_time(options_.keep_days), .now = [this] { return clock_().wall; }}, options_.log);
    metrics_.emplace([this] { return gauges(); });
    backend_->on_commit(
        [this](util::Duration time) { metrics_->note_commit(std::chrono::duration<double>(time).count()); });
    const bool shares = !options_.client.database.empty();
    api_.emplace(Api::Setup{*client_, *feed_, clock_, [this] { return metrics_->response(); }, shares,
                            [this] { return electrum_status(); }});
    if (shares)
      background_.errands.emplace(
          backend_->store(), [this](Request request, Reply reply) { carry_out(std::move(request), std::move(reply)); },
          options_.log);
    client_->subscribe([this](const Event& event) { on(event); });
  }

  Result<void> make_webhooks(const std::vector<WebhookUrl>& urls) {
    if (urls.empty()) return {};
    std::optional<WebhookKey> key;
    if (!options_.webhook_key_file.empty()) {
      auto read = WebhookKey::read(options_.webhook_key_file);
      if (!read) return invalid("--webhook-key-file: " + read.error());
      key.emplace(std::move(*read));
    }
    background_.webhooks.emplace(
        urls,
        WebhookSetup{
            .store = backend_->store(),
            .render = render(),
            .key = std::move(key),
            .leads = [this] { return backend_->store().leads(); },
            .jitter =
                [] { return static_cast<double>(util::Rng(client::system_entropy()).below(1U << 30U)) / (1U << 30U); },
            .log = options_.log});
    return {};
  }

  ServerOptions server_options() {
    ServerOptions out;
    out.host = options_.host;
    out.port = options_.port;
    out.is_open = [this](const Request& request) { return api_->is_open(request); };
    out.measure = [this](const RequestRecord& record) { metrics_->note_request(record); };
    out.log = [this](const RequestRecord& record) { log(util::LogLevel::Info, to_line(record)); };
    out.report_failure = [this](std::string_view what) { log(util::LogLevel::Error, what); };
    return out;
  }

  /// What another process asks of this one. On the server's thread, as all requests.
  void carry_out(Request request, Reply reply) {
    auto shared = std::make_shared<std::pair<Request, Reply>>(std::move(request), std::move(reply));
    asio::post(io_, [this, shared] { api_->handle(std::move(shared->first), std::move(shared->second)); });
  }

  /// On the thread that syncs.
  void on(const Event& event) {
    api_->on(event);
    if (const auto* warning = std::get_if<WarningEvent>(&event)) log(util::LogLevel::Warn, warning->message);
    if (const auto* stopped = std::get_if<StoppedEvent>(&event)) {
      if (stopped->code != 0) log(util::LogLevel::Error, "the sync has stopped: " + stopped->message);
    }
  }

  void tick() {
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || ending_) return;
      api_->tick();
      if (background_.electrum) background_.electrum->tick();
      restart_if_stopped();
      tick();
    });
  }

  void restart_if_stopped() {
    const auto chain = backend_->board().chain();
    if (chain.running || chain.store_away) {
      stopped_at_.reset();
      return;
    }
    const auto now = clock_().monotonic;
    if (!stopped_at_) stopped_at_ = now;
    if (now - *stopped_at_ < kRestartAfter) return;
    stopped_at_.reset();
    static_cast<void>(client_->start());  // what keeps it from that is told by an event
  }

  void end() {
    ending_ = true;
    timer_.cancel();
    if (background_.electrum) background_.electrum->stop();
    feed_->stop();  // streams end with the number to resume from
    server_->stop([this] { io_.stop(); });
    api_->stop();
  }

  void stop() {
    ending_ = true;
    background_.stop();
    if (api_) api_->stop();
    if (feed_) feed_->stop();
    // What was asked by another process at the last moment is refused while the store is still there.
    io_.restart();
    io_.poll();
    server_.reset();
    if (client_) static_cast<void>(client_->stop());
  }

  [[nodiscard]] boost::json::object electrum_status() const {
    if (background_.electrum) return background_.electrum->status();
    return {{"listening", nullptr}, {"clients", boost::json::array()}};
  }

  Gauges gauges() {
    Gauges out = gauges_of(api_->meter().last(), *backend_);
    out.feed = feed_->stats();
    if (background_.webhooks) out.webhooks = background_.webhooks->status();
    out.connections = server_ ? server_->open_connections() : 0;
    if (background_.electrum) {
      const auto& counts = background_.electrum->counts();
      out.electrum = {.clients = counts.clients, .subscriptions = counts.subscriptions};
    }
    return out;
  }

  void log(util::LogLevel level, std::string_view text) const {
    if (options_.log) options_.log(level, text);
  }

  ServiceOptions options_;
  client::Clock clock_;
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
  asio::steady_timer timer_{io_};
  std::optional<Client> client_;
  std::optional<client::Backend> backend_;
  std::optional<EventFeed> feed_;
  Background background_;
  std::optional<Metrics> metrics_;
  std::optional<Api> api_;
  std::optional<Access> access_;
  std::optional<Server> server_;
  std::optional<util::TimePoint> stopped_at_;
  bool ending_ = false;
};

Service::Service(ServiceOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Service::~Service() = default;
Result<Service::Places> Service::start() { return impl_->start(); }
void Service::run() { impl_->run(); }

}  // namespace spv::serve
