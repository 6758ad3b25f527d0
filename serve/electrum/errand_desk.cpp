#include "serve/electrum/errand_desk.h"

#include <utility>

#include <boost/json.hpp>

#include "client/errors.h"
#include "client/spending_values.h"
#include "util/codec.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

constexpr unsigned kOk = 200;

/// What peers have said about fees serves this long: asking again costs a download.
constexpr util::Duration kFeesServe = std::chrono::minutes(30);
/// How long it is waited for what peers do with a payment that is stored here.
constexpr util::Duration kBroadcastServes = std::chrono::seconds(7);
/// No reorganisation reaches deeper.
constexpr chain::Height kSettledDepth = 2'016;

/// Answers of the HTTP API for a session.
class OutcomeSink final : public ReplySink {
 public:
  using Then = std::function<void(const Response&)>;
  OutcomeSink(std::shared_ptr<Mailbox> door, Then then) : door_(std::move(door)), then_(std::move(then)) {}

  void send(Response&& response, std::string_view /*route*/) override {
    auto shared = std::make_shared<Response>(std::move(response));
    door_->post([then = then_, shared] { then(*shared); });
  }
  std::shared_ptr<Stream> stream(Response&& head, std::string_view route) override {
    send(std::move(head), route);
    return nullptr;
  }
  void on_gone(std::function<void()> /*callback*/) override {}

 private:
  std::shared_ptr<Mailbox> door_;
  Then then_;
};

RpcError error_of(const Error& error) { return {kCannot, error.message}; }

json::object document_of(const Response& response) {
  json::error_code error;
  auto value = json::parse(response.body, error);
  return !error && value.is_object() ? std::move(value.as_object()) : json::object();
}

std::string text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains({name.data(), name.size()});
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

RpcError error_in(const json::object& document) {
  const auto* error = document.if_contains("error");
  auto text = error != nullptr && error->is_object() ? text_of(error->get_object(), "message") : std::string();
  return {kCannot, text.empty() ? "the server could not answer" : std::move(text)};
}

Request request_of(Method method, std::string_view name, std::string body) {
  Request out;
  out.method = method;
  out.path = "/v1/" + std::string(name);
  out.segments = {"v1", std::string(name)};
  out.body = std::move(body);
  if (!out.body.empty()) out.content_type = "application/json";
  out.authorized = true;
  return out;
}

FeesFound fees_in(const client::FeesKnown& fees) {
  FeesFound out;
  if (fees.floor) out.floor = static_cast<double>(*fees.floor);
  if (fees.estimate) out.estimate = static_cast<double>(*fees.estimate);
  return out;
}

RpcError not_held() {
  return {kCannot, "this transaction is in no wallet that this server follows; a light client cannot look up others"};
}

}  // namespace

ErrandDesk::ErrandDesk(Client& client, const Books& books, std::shared_ptr<Mailbox> door, WorkerPool& pool, Ask ask,
                       client::Clock clock)
    : backend_(client),
      chain_(client),
      books_(books),
      door_(std::move(door)),
      pool_(pool),
      ask_(std::move(ask)),
      clock_(std::move(clock)) {}

void ErrandDesk::carry_out(const Errand& errand, Done done) {
  std::visit([&](const auto& wanted) { start(wanted, std::move(done)); }, errand);
}

void ErrandDesk::later(std::function<Outcome()> work, Done done) {
  const bool posted = pool_.post([door = door_, work = std::move(work), done] {
    auto outcome = client::guarded<Outcome>([&]() -> Result<Outcome> { return work(); });
    auto shared = std::make_shared<Outcome>(outcome ? std::move(*outcome) : Outcome(error_of(outcome.error())));
    door->post([done, shared] { done(std::move(*shared)); });
  });
  if (!posted) answer(std::move(done), RpcError{kCannot, "too many requests are waiting; try again"});
}

void ErrandDesk::answer(Done done, Outcome outcome) {
  door_->post(
      [done = std::move(done), shared = std::make_shared<Outcome>(std::move(outcome))] { done(std::move(*shared)); });
}

void ErrandDesk::ask(Request request, std::function<void(const Response&)> then) {
  ask_(std::move(request), Reply(std::make_shared<OutcomeSink>(door_, std::move(then))));
}

void ErrandDesk::start(const HeadersWanted& wanted, Done done) {
  later([this, wanted] { return headers(wanted); }, std::move(done));
}

Outcome ErrandDesk::headers(const HeadersWanted& wanted) {
  auto found = chain_.headers(wanted.from, wanted.count);
  if (!found) return error_of(found.error());
  HeadersFound out{std::move(*found), std::nullopt};
  if (wanted.checkpoint == 0 || out.headers.size() != wanted.count) return out;
  const auto tip = backend_.board().chain().tip;
  const auto read = [this](chain::Height from, std::size_t count) -> std::optional<std::vector<util::Hash256>> {
    const auto hashes = chain_.hashes(from, count);
    if (!hashes || hashes->size() != count) return std::nullopt;
    std::vector<util::Hash256> plain;
    plain.reserve(count);
    for (const auto& each : *hashes) plain.push_back(util::retag<util::Hash256>(each));
    return plain;
  };
  const std::lock_guard alone(tree_mutex_);
  const auto last = wanted.from + static_cast<chain::Height>(wanted.count) - 1;
  out.proof = tree_.prove(last, wanted.checkpoint, tip ? tip->height - kSettledDepth : 0, read);
  if (!out.proof) return RpcError{kCannot, "the headers up to cp_height are not all here"};
  return out;
}

void ErrandDesk::start(const TxWanted& wanted, Done done) {
  const auto wallet = books_.holder(wanted.txid);
  if (!wallet) return answer(std::move(done), not_held());
  later([this, wallet = *wallet, txid = wanted.txid] { return transaction(wallet, txid); }, std::move(done));
}

Outcome ErrandDesk::transaction(const std::string& wallet, const chain::Txid& txid) {
  const auto tip = backend_.board().chain().tip;
  auto found = backend_.look<TxFound>(wallet, [&](client::OpenWallet& open) -> Result<TxFound> {
    const auto* record = open.wallet.find(txid);
    if (record == nullptr) return Error{ErrorCode::NotFound, not_held().message};
    return TxFound{record->tx, record->confirmation, tip ? tip->height : 0};
  });
  return found ? Outcome(std::move(*found)) : Outcome(error_of(found.error()));
}

void ErrandDesk::start(const BranchWanted& wanted, Done done) {
  const auto wallet = books_.holder(wanted.txid);
  if (!wallet) return answer(std::move(done), not_held());
  later([this, wallet = *wallet, txid = wanted.txid] { return branch(wallet, txid); }, std::move(done));
}

void ErrandDesk::start(const PositionWanted& wanted, Done done) {
  const auto txid = books_.at(wanted.height, wanted.position);
  const auto wallet = txid ? books_.holder(*txid) : std::nullopt;
  if (!wallet) {
    return answer(std::move(done),
                  RpcError{kCannot,
                           "no transaction of a wallet that this server follows is at this place; a light client "
                           "cannot look up others"});
  }
  later([this, wallet = *wallet, txid = *txid] { return branch(wallet, txid); }, std::move(done));
}

Outcome ErrandDesk::branch(const std::string& wallet, const chain::Txid& txid) {
  auto found = backend_.look<BranchFound>(wallet, [&](client::OpenWallet& open) -> Result<BranchFound> {
    const auto* record = open.wallet.find(txid);
    if (record == nullptr || !record->confirmation) {
      return Error{ErrorCode::NotFound, "the transaction is in no block"};
    }
    util::Reader in(record->proof);
    static_cast<void>(chain::BlockHeader::decode(in));
    const auto tree = bip37::PartialMerkleTree::decode(in);
    const auto narrowed = in.done() ? bip37::narrow_to(tree, txid) : std::nullopt;
    auto branch = narrowed ? branch_of(*narrowed, txid) : std::nullopt;
    if (!branch)
      return Error{ErrorCode::NotFound, "no proof of this transaction is stored; run spv rescan for its wallet"};
    return BranchFound{txid, record->confirmation->block.height, std::move(*branch)};
  });
  return found ? Outcome(std::move(*found)) : Outcome(error_of(found.error()));
}

bool ErrandDesk::is_held(const std::string& txid) const {
  const auto id = util::parse_hash<chain::Txid>(txid);
  return id && books_.holder(*id);
}

// An error means that nobody has it and nobody will get it: who reads one pays again. A payment of a wallet that no
// peer has taken yet is stored and sent to peers again, so this is not an error.
void ErrandDesk::start(const BroadcastWanted& wanted, Done done) {
  const auto tx = client::read_transaction(wanted.hex);
  if (!tx) return answer(std::move(done), error_of(tx.error()));
  const auto number = next_++;
  sent_.emplace(number, Sent{util::to_string(tx->txid()), std::move(done), clock_().monotonic});
  auto request = request_of(Method::Post, "transactions", json::serialize(json::object{{"hex", wanted.hex}}));
  ask(std::move(request), [this, number](const Response& response) { end_broadcast(number, response); });
}

void ErrandDesk::end_broadcast(std::uint64_t number, const Response& response) {
  auto ended = sent_.extract(number);
  if (ended.empty()) return;
  auto& [txid, done, since] = ended.mapped();
  const auto document = document_of(response);
  if (response.status != kOk) return done(error_in(document));
  if (text_of(document, "state") != "uncertain" || is_held(txid)) return done(BroadcastDone{std::move(txid)});
  done(RpcError{kCannot,
                "the transaction was announced, but no peer has asked for it: they may have it already, or refuse it "
                "(its fee may be too low); it belongs to no wallet here and is not sent again"});
}

// Clients give up after ten seconds, and would take that for a failure.
void ErrandDesk::tick(util::TimePoint now) {
  for (auto it = sent_.begin(); it != sent_.end();) {
    const bool is_stored = now - it->second.since >= kBroadcastServes && is_held(it->second.txid);
    if (is_stored) it->second.done(BroadcastDone{it->second.txid});
    it = is_stored ? sent_.erase(it) : std::next(it);
  }
}

void ErrandDesk::start(const FeesWanted& /*wanted*/, Done done) {
  const auto fees = backend_.fees();
  if (fees && fees->age < kFeesServe) {
    return answer(std::move(done), fees_in(fees->known));
  }
  ask(request_of(Method::Get, "fees", ""), [this, done = std::move(done)](const Response& /*response*/) {
    const auto known = backend_.fees();
    done(known ? fees_in(known->known) : FeesFound{});
  });
}

}  // namespace spv::serve::electrum
