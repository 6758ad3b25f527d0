#include "serve/api/api.h"

#include <utility>

#include <boost/json.hpp>

#include "client/errors.h"
#include "serve/api/answers.h"
#include "serve/api/openapi.h"
#include "serve/api/query.h"

namespace spv::serve {
namespace {

/// Requests wait for locks and disks more than they compute.
constexpr std::size_t kThreads = 4;
constexpr std::size_t kMostWaiting = 512;
/// A wallet that was just made is followed soon; an end of the server waits for this.
constexpr std::chrono::milliseconds kAwaitOpen(3'000);
constexpr std::chrono::milliseconds kAwaitStep(200);

Response not_followed() {
  return error_response(503, "unavailable", "the wallet is not followed yet; try again in a few seconds");
}

}  // namespace

Api::Api(Setup setup)
    : setup_(std::move(setup)),
      backend_(setup_.client),
      wallets_(backend_, setup_.clock),
      chain_(backend_, meter_, setup_.clock),
      fees_(setup_.client, backend_),
      spending_(setup_.client, backend_, broadcasts_, setup_.clock),
      routes_(make_routes()),
      pool_(kThreads, kMostWaiting) {
  if (setup_.shares) forwarder_.emplace(backend_.store());
}

Api::~Api() { stop(); }

void Api::stop() {
  stopping_ = true;
  if (forwarder_) forwarder_->stop();
  pool_.stop();
  broadcasts_.drop_all();
  fees_.drop_all();
}

bool Api::is_open(const Request& request) const {
  if (request.method != Method::Get && request.method != Method::Head) return false;
  return request.path == "/healthz" || request.path == "/readyz" || page_.has(request);
}

void Api::handle(Request request, Reply reply) {
  if (auto file = page_.answer(request)) {
    reply.set_route("page");
    return reply.send(std::move(*file));
  }
  routes_.handle(std::move(request), std::move(reply));
}

std::function<void(Call, Reply)> Api::hand_over(std::function<void(Call, Reply)> work) {
  return [this, work = std::move(work)](Call call, Reply reply) {
    auto shared = std::make_shared<std::pair<Call, Reply>>(std::move(call), std::move(reply));
    if (pool_.post([work, shared] { work(std::move(shared->first), std::move(shared->second)); })) return;
    shared->second.send(error_response(503, "busy", "too many requests are waiting; try again"));
  };
}

std::function<void(Call, Reply)> Api::later(Answer answer) {
  return hand_over([answer = std::move(answer)](const Call& call, Reply reply) {
    auto answered = client::guarded<Response>([&]() -> Result<Response> { return answer(call); });
    reply.send(answered ? std::move(*answered) : to_response(answered.error()));
  });
}

bool Api::await_open(const std::string& name) {
  for (auto left = kAwaitOpen; left.count() > 0 && !stopping_; left -= kAwaitStep) {
    if (backend_.await_open(name, kAwaitStep)) return true;
  }
  return false;
}

std::function<void(Call, Reply)> Api::by_holder(Answer answer) {
  auto patient = [this, answer = std::move(answer)](const Call& call) {
    const auto known = backend_.summary(call.name());
    if (!known) return to_response(known.error());
    if (!await_open(call.name())) return not_followed();
    auto response = answer(call);
    // Not there, though it is stored: another request has closed it and is about to open it again.
    if (response.status == 404 && backend_.summary(call.name())) return not_followed();
    return response;
  };
  return [this, here = later(std::move(patient))](Call call, Reply reply) {
    const bool elsewhere = forwarder_ && !call.request.forwarded && !backend_.board().find(call.name());
    if (!elsewhere) return here(std::move(call), std::move(reply));
    const std::string name = call.name();
    forwarder_->forward(name, std::move(call), std::move(reply));
  };
}

// A payment is stored, and its coins reserved, by the process that follows the wallet.
void Api::broadcast(Call call, Reply reply) {
  const auto payer = forwarder_ && !call.request.forwarded ? spending_.payer_elsewhere(call) : std::nullopt;
  if (payer) return forwarder_->forward(*payer, std::move(call), std::move(reply));
  spending_.broadcast(call, std::move(reply), setup_.clock().monotonic);
}

std::vector<Route> Api::make_routes() {
  std::vector<Route> routes;
  add_chain_routes(routes);
  add_wallet_routes(routes);
  add_event_routes(routes);
  return routes;
}

void Api::add_chain_routes(std::vector<Route>& routes) {
  const auto get = [&](std::string_view pattern, Answer answer) {
    routes.push_back({Method::Get, pattern, later(std::move(answer))});
  };
  routes.push_back({Method::Get, "/v1/status", [this](const Call&, Reply reply) {
                      reply.send(chain_.status(setup_.feed.stats().newest, wallet_count_));
                    }});
  routes.push_back({Method::Get, "/healthz", [](const Call&, Reply reply) {
                      reply.send(json_response(boost::json::object{{"alive", true}}));
                    }});
  routes.push_back({Method::Get, "/readyz",
                    [this](const Call&, Reply reply) { reply.send(chain_.ready(setup_.feed.stats().store_up)); }});
  routes.push_back({Method::Get, "/v1/openapi.json", [](const Call&, Reply reply) {
                      reply.send({.body = std::string(openapi_text()), .headers = {}});
                    }});
  routes.push_back({Method::Get, "/v1/electrum",
                    [this](const Call&, Reply reply) { reply.send(json_response(setup_.electrum())); }});
  get("/v1/peers", [this](const Call&) { return chain_.peers(); });
  get("/v1/sync", [this](const Call&) { return chain_.sync(); });
  get("/v1/filter", [this](const Call&) { return chain_.filter(); });
  get("/v1/workers", [this](const Call&) { return chain_.workers(); });
  get("/metrics", [this](const Call&) { return setup_.metrics(); });
  routes.push_back({Method::Get, "/v1/fees", hand_over([this](const Call&, Reply reply) {
                      fees_.answer(std::move(reply), setup_.clock().monotonic);
                    })});
  routes.push_back({Method::Post, "/v1/transactions",
                    hand_over([this](Call call, Reply reply) { broadcast(std::move(call), std::move(reply)); })});
}

void Api::add_wallet_routes(std::vector<Route>& routes) {
  const auto add = [&](Method method, std::string_view pattern, Response (WalletAnswers::*answer)(const Call&)) {
    routes.push_back({method, pattern, later([this, answer](const Call& call) { return (wallets_.*answer)(call); })});
  };
  const auto change = [&](Method method, std::string_view pattern, Response (WalletAnswers::*answer)(const Call&)) {
    routes.push_back(
        {method, pattern, by_holder([this, answer](const Call& call) { return (wallets_.*answer)(call); })});
  };
  // Those that are followed here are at hand.
  const auto at_hand = [&](std::string_view pattern, auto now, Response (WalletAnswers::*answer)(const Call&)) {
    routes.push_back({Method::Get, pattern, [this, now, slow = later([this, answer](const Call& call) {
                                                          return (wallets_.*answer)(call);
                                                        })](Call call, Reply reply) {
                        if (const auto bad = refuse_query(call.request.query)) return reply.send(to_response(*bad));
                        if (auto response = (wallets_.*now)(call.name())) return reply.send(std::move(*response));
                        slow(std::move(call), std::move(reply));
                      }});
  };
  at_hand("/v1/wallets/{name}/balance", &WalletAnswers::balance_now, &WalletAnswers::balance);
  at_hand("/v1/wallets/{name}", &WalletAnswers::show_now, &WalletAnswers::show);
  add(Method::Get, "/v1/wallets", &WalletAnswers::list);
  routes.push_back({Method::Post, "/v1/wallets", later([this](const Call& call) {
                      auto response = wallets_.create(call);
                      count_wallets();
                      return response;
                    })});
  change(Method::Delete, "/v1/wallets/{name}", &WalletAnswers::remove);
  add(Method::Get, "/v1/wallets/{name}/history", &WalletAnswers::history);
  add(Method::Get, "/v1/wallets/{name}/utxos", &WalletAnswers::coins);
  add(Method::Get, "/v1/wallets/{name}/addresses", &WalletAnswers::addresses);
  change(Method::Post, "/v1/wallets/{name}/addresses", &WalletAnswers::new_address);
  add(Method::Get, "/v1/wallets/{name}/transactions/{txid}", &WalletAnswers::transaction);
  add(Method::Get, "/v1/wallets/{name}/transactions/{txid}/proof", &WalletAnswers::proof);
  add(Method::Put, "/v1/wallets/{name}/labels", &WalletAnswers::label);
  change(Method::Post, "/v1/wallets/{name}/rescan", &WalletAnswers::rescan);
  routes.push_back(
      {Method::Post, "/v1/wallets/{name}/psbt", later([this](const Call& call) { return spending_.make_psbt(call); })});
}

void Api::add_event_routes(std::vector<Route>& routes) {
  routes.push_back({Method::Get, "/v1/events",
                    [this](const Call& call, Reply reply) { setup_.feed.list(call.request, std::move(reply)); }});
  routes.push_back({Method::Get, "/v1/events/stream",
                    [this](const Call& call, Reply reply) { setup_.feed.stream(call.request, std::move(reply)); }});
}

void Api::on(const Event& event) {
  if (const auto* sent = std::get_if<BroadcastEvent>(&event)) broadcasts_.on(*sent);
  if (std::holds_alternative<FeesEvent>(event)) {
    fees_.on_fees();
    static_cast<void>(pool_.post([this] { fees_.deliver(setup_.clock().monotonic); }));
  }
}

void Api::tick() {
  broadcasts_.sweep(setup_.clock().monotonic);
  if (looking_.exchange(true)) return;  // the last look still waits for a lock or the store
  const bool posted = pool_.post([this] {
    const auto looked = client::guarded<void>([this]() -> Result<void> {
      fees_.deliver(setup_.clock().monotonic);
      meter_.note(backend_.report(), setup_.clock());
      count_wallets();
      return {};
    });
    static_cast<void>(looked);  // a store that is away is noticed by the feed
    looking_ = false;
  });
  if (!posted) looking_ = false;
}

void Api::count_wallets() {
  if (const auto names = backend_.names()) wallet_count_ = names->size();
}

}  // namespace spv::serve
