#include "serve/electrum/hub.h"

#include <utility>
#include <vector>

#include <boost/json.hpp>

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

constexpr std::size_t kErrandThreads = 2;
constexpr std::size_t kMostErrands = 50'000;
constexpr std::size_t kMostNews = 16;

World first_world(const chain::NetworkParams& params, bool empty_unknown) {
  World out;
  out.empty_unknown = empty_unknown;
  out.software = std::string("spv ") + version();
  out.genesis_hash = util::to_string(params.genesis_hash);
  return out;
}

}  // namespace

Hub::Hub(Setup setup, HubOptions options)
    : setup_(std::move(setup)),
      options_(std::move(options)),
      world_(first_world(client::Backend(setup_.client).params(), options_.empty_unknown)),
      backend_(setup_.client),
      chain_(setup_.client),
      door_(std::make_shared<Mailbox>(setup_.io)),
      threads_{.errands{kErrandThreads, kMostErrands}, .news{1, kMostNews}},
      keeper_(
          setup_.client, world_, door_, {.reading = threads_.news, .slow = threads_.errands},
          [this](const auto& changed) { tell(changed); }, setup_.log),
      desk_(setup_.client, world_.books, door_, threads_.errands, setup_.ask, setup_.clock),
      listener_(setup_.io, options_.listener, *this, [this](const auto& link) { return welcome(link); }) {}

util::Expected<std::string, std::string> Hub::listen() {
  auto listening = listener_.listen();
  if (!listening) return listening;
  address_ = *listening;
  keeper_.look_at_all();
  return address_;
}

void Hub::stop() {
  listener_.stop();
  door_->close();
  threads_.errands.stop();
  threads_.news.stop();
  each_link([](Link& link) { link.cut(); });
}

bool Hub::welcome(const std::shared_ptr<Link>& link) {
  if (links_.size() >= options_.clients) {
    log(util::LogLevel::Warn, "electrum: too many clients; one more was turned away");
    return false;
  }
  links_.emplace(link.get(), Guest{link});
  counts_.clients = links_.size();
  return true;
}

void Hub::on_gone(Link& link) {
  const auto& agent = link.session().agent();
  if (!agent.empty()) log(util::LogLevel::Info, "electrum: " + agent + " has disconnected");
  links_.erase(&link);
  counts_.clients = links_.size();
}

void Hub::on_step(Link& link) {
  auto& guest = links_.at(&link);
  const auto& session = link.session();
  if (!guest.is_greeted && session.version()) {
    guest.is_greeted = true;
    log(util::LogLevel::Info,
        "electrum: " + session.agent() + " has connected, protocol " + to_string(*session.version()));
  }
  if (!guest.is_stranger && session.strangers() > 0) {
    guest.is_stranger = true;
    log(util::LogLevel::Warn, "electrum: " + (session.agent().empty() ? "a client" : session.agent()) +
                                  " asks for a wallet that is not followed; add it with spv watch or spv restore");
  }
}

void Hub::carry_out(const std::shared_ptr<Link>& link, Order order) {
  if (auto* errand = std::get_if<ErrandOrder>(&order)) {
    std::weak_ptr<Link> weak = link;
    return desk_.carry_out(errand->errand, [weak, ticket = errand->ticket](const Outcome& outcome) {
      if (const auto held = weak.lock()) held->finish(ticket, outcome);
    });
  }
  if (const auto* widen = std::get_if<WidenOrder>(&order)) return keeper_.widen(widen->place);
  keeper_.look_ahead();
}

void Hub::on_events(std::span<const RenderedEvent> events) {
  if (events.empty()) return keeper_.look_at_all();
  bool is_tip = false;
  for (const auto& event : events) {
    if (event.wallet.empty()) {
      is_tip = true;
    } else {
      keeper_.look_at(event.wallet);
    }
  }
  if (is_tip) look_at_tip();
}

void Hub::tick() {
  look_at_tip();
  bool waits = false;
  const auto time = now();
  each_link([&](Link& link) {
    link.check(time);
    waits = waits || link.session().waits();
  });
  keeper_.tick(waits);
  desk_.tick(time);
  count_subscriptions();
}

// The headers may be further than the events, which tell of a tip once for all processes of a database.
void Hub::look_at_tip() {
  const auto tip = backend_.board().chain().tip;
  if (!tip || tip_ == tip) return;
  const bool posted = threads_.news.post([this, tip = *tip] {
    auto headers = std::make_shared<Result<std::vector<chain::BlockHeader>>>(chain_.headers(tip.height, 1));
    door_->post([this, tip, headers] {
      // One that has left the chain meanwhile is followed by another.
      if (tip_ == tip || !*headers || (*headers)->empty() || (*headers)->front().hash() != tip.hash) return;
      tip_ = tip;
      world_.tip = World::Tip{tip.height, (*headers)->front()};
      each_link([](Link& link) {
        link.session().tell_tip();
        link.pump();
      });
    });
  });
  static_cast<void>(posted);  // the next tick tries again
}

void Hub::tell(const std::vector<ScriptHash>& changed) {
  const auto time = now();
  each_link([&](Link& link) {
    link.session().tell_scripts(changed);
    if (link.session().waits()) link.session().look_again(time);
    link.pump();
  });
}

void Hub::each_link(const std::function<void(Link&)>& what) {
  std::vector<std::shared_ptr<Link>> all;
  all.reserve(links_.size());
  for (const auto& [link, guest] : links_) all.push_back(guest.link);
  for (const auto& each : all) {
    if (links_.contains(each.get())) what(*each);
  }
}

void Hub::count_subscriptions() {
  std::size_t sum = 0;
  for (const auto& [link, guest] : links_) sum += link->session().subscriptions();
  counts_.subscriptions = sum;
}

json::object Hub::status() const {
  json::array clients;
  for (const auto& [link, guest] : links_) {
    const auto& session = link->session();
    json::object row{{"address", link->address()}};
    row["user_agent"] = session.agent().empty() ? json::value(nullptr) : json::value(session.agent());
    row["protocol"] = session.version() ? json::value(to_string(*session.version())) : json::value(nullptr);
    row["subscriptions"] = session.subscriptions();
    row["not_followed"] = session.strangers();
    row["seconds"] = std::chrono::duration_cast<std::chrono::seconds>(now() - link->since()).count();
    clients.emplace_back(std::move(row));
  }
  return {{"listening", address_}, {"clients", std::move(clients)}};
}

}  // namespace spv::serve::electrum
