#include "client/engine_values.h"

#include <set>

#include "util/overloaded.h"

namespace spv::client {
namespace {

BroadcastState to_value(sync::BroadcastState state) {
  switch (state) {
    case sync::BroadcastState::Uncertain:
      return BroadcastState::Uncertain;
    case sync::BroadcastState::Announced:
      return BroadcastState::Announced;
    case sync::BroadcastState::Fetched:
      return BroadcastState::Fetched;
    case sync::BroadcastState::Accepted:
      return BroadcastState::Accepted;
    case sync::BroadcastState::Confirmed:
      return BroadcastState::Confirmed;
  }
  return BroadcastState::Uncertain;
}

BroadcastChanged to_value(const sync::BroadcastChanged& event) {
  return {event.txid, to_value(event.state), event.peers_accepted, event.fetched_by, event.final};
}

ScanCounts to_value(const sync::ScanCounters& counters) {
  return {.scanned_from = counters.scanned_from,
          .merkleblocks = counters.merkleblocks,
          .compact_filters = counters.compact_filters,
          .compact_nearby = counters.compact_nearby,
          .blocks = counters.blocks,
          .answers = counters.answers,
          .transactions = counters.transactions,
          .matched = counters.matched,
          .relevant = counters.relevant,
          .false_positives = counters.false_positives,
          .rescans = counters.rescans,
          .asked_again = counters.asked_again};
}

ByteCounts to_value(const net::Traffic& traffic) { return {traffic.bytes_in, traffic.bytes_out}; }

std::string transports_of(const sync::Engine& engine, const net::Driver& driver) {
  std::set<std::string> seen;
  for (const auto& peer : engine.peers()) seen.insert(driver.transport(peer.address));
  std::string out;
  for (const auto& each : seen) {
    if (!each.empty()) out += (out.empty() ? "" : ", ") + each;
  }
  return out;
}

}  // namespace

SyncEvent to_value(const sync::Event& event) {
  using Value = SyncEvent;
  return std::visit(
      util::Overloaded{[](const sync::TipChanged& e) -> Value { return TipChanged{e.tip}; },
                       [](const sync::ChainReorganised& e) -> Value {
                         return ChainReorganised{e.from, e.to, e.fork_height};
                       },
                       [](const sync::ReorganisationHeld& e) -> Value {
                         return ReorganisationHeld{e.from, e.to, e.fork_height};
                       },
                       [](const sync::ChainStale& e) -> Value {
                         return ChainStale{e.tip, e.seconds};
                       },
                       [](const sync::ClockSuspected& e) -> Value { return ClockSuspected{e.seconds}; },
                       [](const sync::TransactionSeen& e) -> Value {
                         return TransactionSeen{e.txid, e.net, e.height, e.unconfirmed_again};
                       },
                       [](const sync::TransactionConflicted& e) -> Value {
                         return TransactionConflicted{e.txid, e.replaced_by};
                       },
                       [](const sync::PeerStateChanged& e) -> Value {
                         return PeerStateChanged{sync::to_string(e.address), e.state};
                       },
                       [](const sync::BroadcastChanged& e) -> Value { return to_value(e); },
                       [](const sync::FeesKnown& e) -> Value {
                         return FeesKnown{e.floor, e.peers_heard, e.estimate, e.blocks_used, e.blocks_by_two};
                       },
                       [](const sync::Finished& e) -> Value { return SyncFinished{e.failure.has_value()}; }},
      event);
}

SyncFailure to_value(const sync::Failure& failure) {
  using Code = sync::Failure::Code;
  const char* code = failure.code == Code::NoPeers          ? "no-peers"
                     : failure.code == Code::NoBloomPeers   ? "no-bloom-peers"
                     : failure.code == Code::NoCompactPeers ? "no-compact-peers"
                                                            : "no-serving-peers";
  return {code, failure.message};
}

SyncProgress progress_of(const sync::Engine& engine, const net::Driver& driver) {
  const sync::Progress progress = engine.progress();
  return {.header_height = progress.header_height,
          .headers_done = progress.headers_done,
          .scanned = progress.scanned,
          .headers_added = progress.headers_added,
          .first_header = progress.first_header,
          .ready_peers = progress.ready_peers,
          .announced_height = progress.announced_height,
          .transports = transports_of(engine, driver),
          .counts = to_value(engine.scan_counters()),
          .bytes = to_value(driver.traffic()),
          .at_rest = progress.at_rest,
          .waits_until = progress.waits_until};
}

namespace {

std::string_view state_of(const sync::PeerFacts& peer) {
  if (peer.ready) return "ready";
  return peer.connected ? "handshake" : "connecting";
}

FilterReport report_of(const bip37::BloomFilter& filter) {
  FilterReport out;
  out.bytes = filter.bits().size();
  out.hash_funcs = filter.hash_funcs();
  out.fill = filter.fill_ratio();
  out.fp_expected = filter.fp_rate();
  return out;
}

}  // namespace

std::optional<FilterReport> filter_of(const sync::Engine& engine) {
  const auto& plan = engine.filter();
  if (!plan) return std::nullopt;
  const auto* mirror = engine.mirror();
  FilterReport out = report_of(mirror != nullptr ? mirror->filter() : plan->filter);
  out.elements = plan->elements;
  out.decoys = plan->decoys;
  out.fp_target = plan->fp_target;
  return out;
}

std::vector<PeerReport> peers_of(const sync::Engine& engine, const net::Driver& driver, const net::Usage& usage) {
  std::vector<PeerReport> out;
  for (const auto& peer : engine.connections()) {
    const net::PeerUsage used = usage.of(peer.address);
    PeerReport report{.address = sync::to_string(peer.address),
                      .user_agent = peer.user_agent,
                      .transport = peer.ready ? driver.transport(peer.address) : "",
                      .services = peer.services,
                      .height = peer.height,
                      .state = std::string(state_of(peer)),
                      .bytes = {used.bytes_in, used.bytes_out},
                      .last_answer = used.last_answer,
                      .filter = std::nullopt};
    if (peer.filter != nullptr) {
      report.filter = report_of(peer.filter->filter());
      if (const auto& plan = engine.filter()) report.filter->elements = plan->elements;
      report.filter->loads = used.loads;
      report.filter->distinct = used.filters.size();
    }
    out.push_back(std::move(report));
  }
  return out;
}

SyncSummary summary_of(const sync::Engine& engine, const net::Driver& driver, const chain::BlockRef& tip,
                       util::UnixTime now) {
  SyncSummary out{.tip = tip,
                  .headers_added = engine.headers_added(),
                  .reorganisations = engine.reorganisations(),
                  .cross_checked = engine.cross_checked(),
                  .counts = to_value(engine.scan_counters()),
                  .filter = engine.filter(),
                  .mempool = std::string(to_string(engine.mempool())),
                  .mempool_asked = engine.mempool() != sync::MempoolState::Skipped,
                  .announcers = {},
                  .peers = {},
                  .bytes = to_value(driver.traffic()),
                  .warnings = engine.warnings(now),
                  .complete = engine.is_complete(),
                  .all_peers_doubtful = engine.all_peers_doubtful()};
  for (const auto& peer : engine.peers()) {
    out.peers.push_back(
        {sync::to_string(peer.address), peer.user_agent, driver.transport(peer.address), peer.banned, peer.doubt});
  }
  return out;
}

}  // namespace spv::client
