#include "cli/output/event_report.h"

#include <cstdio>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/header_chain.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "report/values.h"
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
  return {
      {"event", "tx"}, {"txid", util::to_string(e.txid)}, {"net_sat", e.net}, {"height", report::or_null(e.height)}};
}

json::object to_json(const client::TransactionConflicted& e) {
  return {
      {"event", "conflict"}, {"txid", util::to_string(e.txid)}, {"replaced_by", report::txid_or_null(e.replaced_by)}};
}

json::object to_json(const client::PeerStateChanged& e) {
  return {{"event", "peer"}, {"address", e.address}, {"state", e.state}};
}

// Not for the user of a sync: print_event() leaves them out.
json::object to_json(const client::BroadcastChanged&) { return {}; }
json::object to_json(const client::FeesKnown&) { return {}; }
json::object to_json(const client::SyncFinished&) { return {}; }

std::string reorg_depth_text(chain::Height count) { return fmt::format("{} block{}", count, count == 1 ? "" : "s"); }

struct EventText {
  AmountUnit unit;

  std::string operator()(const client::TipChanged& e) const {
    return fmt::format("block {}  {}", e.tip.height, util::to_string(e.tip.hash));
  }

  std::string operator()(const client::ChainReorganised& e) const {
    return fmt::format("reorg: {} above block {} replaced, now at block {}",
                       reorg_depth_text(e.from.height - e.fork_height), e.fork_height, e.to.height);
  }

  std::string operator()(const client::ReorganisationHeld& e) const {
    return fmt::format("a heavier chain would replace {} above block {}; waiting for a second peer to confirm it",
                       reorg_depth_text(e.from.height - e.fork_height), e.fork_height);
  }

  std::string operator()(const client::ChainStale& e) const {
    return fmt::format("no new block for {} minutes; looking for other peers", e.seconds / 60);
  }

  std::string operator()(const client::ClockSuspected& e) const {
    return fmt::format("rejected a block dated {} minutes ahead of this computer's clock; check the clock",
                       e.seconds / 60);
  }

  std::string operator()(const client::TransactionSeen& e) const {
    const std::string where = e.height              ? fmt::format("in block {}", *e.height)
                              : e.unconfirmed_again ? "unconfirmed again (reorg)"
                                                    : "unconfirmed";
    return fmt::format("{}  {}  {}", change_text(e.net, unit), util::to_string(e.txid), where);
  }

  std::string operator()(const client::TransactionConflicted& e) const {
    std::string text = fmt::format("conflicted  {}", util::to_string(e.txid));
    if (e.replaced_by) text += fmt::format(", replaced by {}", util::to_string(*e.replaced_by));
    return text;
  }

  std::string operator()(const client::PeerStateChanged& e) const {
    return fmt::format("peer {}: {}", e.address, e.state);
  }

  std::string operator()(const client::BroadcastChanged&) const { return {}; }

  std::string operator()(const client::FeesKnown&) const { return {}; }

  std::string operator()(const client::SyncFinished&) const { return {}; }
};

}  // namespace

json::object event_json(const client::SyncEvent& event) {
  return std::visit([](const auto& e) { return to_json(e); }, event);
}

std::string event_text(const client::SyncEvent& event, AmountUnit unit) { return std::visit(EventText{unit}, event); }

void print_warning(const client::SyncEvent& event) {
  const auto* done = std::get_if<client::ChainReorganised>(&event);
  const bool is_deep = done != nullptr && done->from.height - done->fork_height > chain::BranchLimits().deep;
  const bool is_warning = std::holds_alternative<client::ReorganisationHeld>(event) ||
                          std::holds_alternative<client::ClockSuspected>(event);
  if (!is_deep && !is_warning) return;
  std::fflush(stdout);
  fmt::print(stderr, "spv: warning: {}\n", event_text(event, AmountUnit::Btc));
}

void print_event(const client::SyncEvent& event, bool json, AmountUnit unit) {
  if (event_json(event).empty()) return;
  if (json) {
    print_json(event_json(event));
  } else {
    print_line(event_text(event, unit));
  }
  flush_stdout();  // whoever reads a pipe wants each event when it happens, and one that is lost is an error
}

}  // namespace spv::cli
