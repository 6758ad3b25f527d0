#include "serve/api/chain_answers.h"

#include <algorithm>
#include <array>
#include <unistd.h>

#include <boost/json.hpp>

#include "report/values.h"
#include "serve/api/answers.h"

namespace spv::serve {
namespace {

namespace json = boost::json;
using client::FilterReport;
using client::SyncReport;

json::object filter_json(const FilterReport& filter) {
  return {{"bytes", filter.bytes},       {"hash_funcs", filter.hash_funcs},
          {"elements", filter.elements}, {"decoys", filter.decoys},
          {"fill", filter.fill},         {"fp_expected", filter.fp_expected}};
}

json::object peer_json(const client::PeerReport& peer) {
  json::object out{{"address", peer.address},
                   {"user_agent", report::text_or_null(peer.user_agent)},
                   {"transport", report::text_or_null(peer.transport)},
                   {"services", peer.services},
                   {"height", peer.state == "ready" ? json::value(peer.height) : nullptr},
                   {"state", peer.state},
                   {"bytes_in", peer.bytes.in},
                   {"bytes_out", peer.bytes.out},
                   {"last_answer", report::time_or_null(peer.last_answer)}};
  if (!peer.filter) {
    out["filter"] = nullptr;
    return out;
  }
  auto filter = filter_json(*peer.filter);
  filter.erase("decoys");
  filter["loads"] = peer.filter->loads;
  filter["distinct"] = peer.filter->distinct;
  out["filter"] = std::move(filter);
  return out;
}

const char* state_of(const SyncReport& sync) {
  if (sync.waits_for_store) return "waiting";
  if (!sync.running) return "stopped";
  if (sync.synced) return "synced";
  const bool connected = std::ranges::any_of(sync.peers, [](const auto& peer) { return peer.state == "ready"; });
  if (!connected) return "connecting";
  return sync.headers_done ? "scanning" : "headers";
}

json::value message_of(const SyncReport& sync) {
  if (sync.waits_for_store) return "the database does not answer; the sync continues when it is back";
  if (!sync.running) return "the sync has stopped; it is started again in a moment";
  return nullptr;
}

json::object bytes_json(const SyncReport& sync) {
  json::object causes;
  for (std::size_t i = 0; i < net::kCauses; ++i) {
    causes[net::to_string(static_cast<net::Cause>(i))] = sync.by_cause[i].in + sync.by_cause[i].out;
  }
  return {{"in", sync.bytes.in}, {"out", sync.bytes.out}, {"by_cause", std::move(causes)}};
}

json::array sent_json(const SyncReport& sync) {
  json::array out;
  for (const auto& each : sync.sent) {
    out.push_back({{"peer", each.peer},
                   {"loads", each.loads},
                   {"distinct", each.distinct},
                   {"bytes", each.bytes},
                   {"last", each.last}});
  }
  return out;
}

json::array samples_json(const std::deque<SyncSample>& samples) {
  json::array out;
  for (const auto& each : samples) {
    out.push_back({{"time", each.time},
                   {"fp_observed", report::or_null(each.fp_observed)},
                   {"fp_expected", each.fp_expected},
                   {"fill", each.fill},
                   {"bytes_in", each.bytes.in},
                   {"bytes_out", each.bytes.out}});
  }
  return out;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Response ChainAnswers::status(store::Seq newest, std::size_t wallets) const {
  const auto chain = backend_.board().chain();
  json::object out{{"network", backend_.params().name}, {"version", version()}};
  out["height"] = chain.tip ? json::value(chain.tip->height) : nullptr;
  out["tip"] = chain.tip ? json::value(util::to_string(chain.tip->hash)) : nullptr;
  out["tip_time"] = report::time_or_null(chain.tip_time);
  out["synced"] = chain.synced;
  out["peers"] = chain.peers;
  out["wallets"] = wallets;
  out["events"] = newest;
  return json_response(out);
}

Response ChainAnswers::peers() const {
  json::array list;
  for (const auto& peer : backend_.report().peers) list.push_back(peer_json(peer));
  return json_response(json::object{{"peers", std::move(list)}});
}

Response ChainAnswers::sync() const {
  const SyncReport sync = backend_.report();
  const auto pace = meter_.pace(sync);
  const auto height = sync.tip ? json::value(sync.tip->height) : json::value(nullptr);
  const auto scanned = std::max<chain::Height>(sync.scanned, -1);
  const auto& board = backend_.board();
  const std::size_t synced = board.synced();
  const std::size_t open = board.size();
  json::object out{{"state", state_of(sync)}, {"message", message_of(sync)}};
  out["headers"] =
      json::object{{"height", height}, {"target", std::max(sync.announced, sync.tip ? sync.tip->height : 0)}};
  out["scan"] = json::object{
      {"from", sync.counts.scanned_from < 0 ? json::value(nullptr) : json::value(sync.counts.scanned_from)},
      {"height", scanned < 0 ? json::value(nullptr) : json::value(scanned)},
      {"target", height}};
  out["blocks_per_second"] = report::or_null(pace.blocks_per_second);
  out["seconds_left"] = report::or_null(pace.seconds_left);
  out["bytes"] = bytes_json(sync);
  out["wallets"] = json::object{{"synced", synced}, {"catching_up", open - std::min(open, synced)}};
  return json_response(out);
}

Response ChainAnswers::filter() const {
  const SyncReport sync = backend_.report();
  json::object out;
  out["fp_target"] = sync.filters.empty() ? json::value(nullptr) : json::value(sync.filters.front().fp_target);
  out["fp_observed"] = report::or_null(client::observed_fp_rate(sync.counts));
  out["transactions"] = sync.counts.transactions;
  out["false_positives"] = sync.counts.false_positives;
  json::array filters;
  for (const auto& each : sync.filters) {
    filters.push_back(filter_json(each));
    filters.back().as_object()["wallets"] = each.wallets;
  }
  out["filters"] = std::move(filters);
  out["sent"] = sent_json(sync);
  out["samples"] = samples_json(meter_.samples());
  return json_response(out);
}

Response ChainAnswers::workers() const {
  json::array list;
  auto workers = backend_.store().workers();
  if (workers.empty()) {
    const auto chain = backend_.board().chain();
    workers.push_back({.id = 1,
                       .host = host_name(),
                       .started = started_,
                       .wallets = backend_.board().size(),
                       .height = chain.tip ? std::optional(chain.tip->height) : std::nullopt,
                       .seen = clock_().wall});
  }
  for (const auto& each : workers) {
    list.push_back({{"id", each.id},
                    {"host", each.host},
                    {"started", each.started},
                    {"wallets", each.wallets},
                    {"height", report::or_null(each.height)},
                    {"seen", each.seen}});
  }
  return json_response(json::object{{"workers", std::move(list)}});
}

Response ChainAnswers::ready(bool store_up) const {
  const auto chain = backend_.board().chain();
  if (!store_up || chain.store_away) return error_response(503, "storage", "the storage does not answer");
  if (!chain.running) return error_response(503, "stopped", "the sync is not running");
  if (!chain.synced) return error_response(503, "syncing", "the wallets are not scanned to the tip yet");
  return json_response(json::object{{"ready", true}});
}

}  // namespace spv::serve
