#include "cli/output/event_report.h"

#include <cstdio>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/header_chain.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "util/hash256.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

json::object to_json(const client::TipChanged& e) {
  return {{"event", "tip"}, {"height", e.tip.height}, {"hash", util::to_string(e.tip.hash)}};
}

/// A reorganisation, done or held.
template <typename Reorganisation>
json::object reorganisation_json(const char* name, const Reorganisation& e) {
  return {{"event", name},
          {"from", util::to_string(e.from.hash)},
          {"to", util::to_string(e.to.hash)},
          {"fork_height", e.fork_height}};
}
json::object to_json(const client::ChainReorganised& e) { return reorganisation_json("reorg", e); }
json::object to_json(const client::ReorganisationHeld& e) { return reorganisation_json("reorg-held", e); }

json::object to_json(const client::ChainStale& e) {
  return {{"event", "stale"}, {"height", e.tip.height}, {"hash", util::to_string(e.tip.hash)}, {"seconds", e.seconds}};
}

json::object to_json(const client::ClockSuspected& e) { return {{"event", "clock"}, {"seconds", e.seconds}}; }

json::object to_json(const client::TransactionSeen& e) {
  return {{"event", "tx"}, {"txid", util::to_string(e.txid)}, {"net_sat", e.net}, {"height", or_null(e.height)}};
}

json::object to_json(const client::TransactionConflicted& e) {
  return {{"event", "conflict"},
          {"txid", util::to_string(e.txid)},
          {"replaced_by", e.replaced_by ? json::value(util::to_string(*e.replaced_by)) : nullptr}};
}

json::object to_json(const client::PeerStateChanged& e) {
  return {{"event", "peer"}, {"address", e.address}, {"state", e.state}};
}

// Not for the user: print_event() leaves it out.
json::object to_json(const client::SyncFinished&) { return {}; }

json::value event_json(const client::SyncEvent& event) {
  return std::visit([](const auto& e) -> json::value { return to_json(e); }, event);
}

std::string to_text(const client::TipChanged& e) {
  return fmt::format("block {}  {}", e.tip.height, util::to_string(e.tip.hash));
}

std::string to_text(const client::ChainReorganised& e) {
  return fmt::format("reorganisation: {} blocks above {} were replaced, now at {}", e.from.height - e.fork_height,
                     e.fork_height, e.to.height);
}

std::string to_text(const client::ReorganisationHeld& e) {
  return fmt::format("a heavier chain would replace {} blocks above {}: waiting for a second peer to agree",
                     e.from.height - e.fork_height, e.fork_height);
}

std::string to_text(const client::ChainStale& e) {
  return fmt::format("no block has come for {} minutes: looking for other peers, where any are known", e.seconds / 60);
}

std::string to_text(const client::ClockSuspected& e) {
  return fmt::format("a block is {} minutes ahead of this machine's clock and not taken yet: check the clock",
                     e.seconds / 60);
}

std::string to_text(const client::TransactionSeen& e) {
  return fmt::format("{:+.8f} BTC  {}  {}", static_cast<double>(e.net) / static_cast<double>(chain::kCoin),
                     util::to_string(e.txid),
                     e.height ? fmt::format("in block {}", *e.height) : std::string("unconfirmed"));
}

std::string to_text(const client::TransactionConflicted& e) {
  return fmt::format("conflicted  {}", util::to_string(e.txid));
}

std::string to_text(const client::PeerStateChanged& e) { return fmt::format("peer {}: {}", e.address, e.state); }

std::string to_text(const client::SyncFinished&) { return {}; }

std::string event_text(const client::SyncEvent& event) {
  return std::visit([](const auto& e) { return to_text(e); }, event);
}

}  // namespace

void print_warning(const client::SyncEvent& event) {
  const auto* done = std::get_if<client::ChainReorganised>(&event);
  const bool is_deep = done != nullptr && done->from.height - done->fork_height > chain::BranchLimits().deep;
  const bool is_warning = std::holds_alternative<client::ReorganisationHeld>(event) ||
                          std::holds_alternative<client::ClockSuspected>(event);
  if (!is_deep && !is_warning) return;
  std::fflush(stdout);
  fmt::print(stderr, "spv: warning: {}\n", event_text(event));
}

void print_event(const client::SyncEvent& event, bool json) {
  if (std::holds_alternative<client::SyncFinished>(event)) return;
  if (json) {
    print_json(event_json(event));
  } else {
    print_line(event_text(event));
  }
  std::fflush(stdout);  // whoever reads a pipe wants each event when it happens
}

}  // namespace spv::cli
