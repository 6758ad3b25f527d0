// Lines of an Electrum client: however the bytes arrive the answers are the same; each request gets one answer, in a
// form that a client can read; nothing grows beyond its limit (L2, L3, L7).
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "chain/params.h"
#include "serve/electrum/session.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/descriptor.h"

namespace {

using namespace spv;
namespace electrum = serve::electrum;

constexpr std::string_view kDescriptor =
    "wpkh(xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMce"
    "t8/<0;1>/*)";

electrum::World make_world() {
  electrum::World out;
  out.is_loaded = out.is_ahead = true;
  out.software = "spv";
  out.limits.line_bytes = 2'000;
  out.limits.batch_calls = 20;
  out.limits.subscriptions = 5;
  out.limits.under_way = 4;
  out.tip = electrum::World::Tip{100, chain::params(chain::Network::Main).genesis};
  wallet::WalletConfig config;
  config.network = chain::Network::Main;
  config.gap_limit = 1;
  const auto descriptors = wallet::Descriptor::parse(kDescriptor, chain::params(chain::Network::Main)).value();
  for (const auto& each : descriptors) {
    config.key_chains.push_back({.descriptor = each, .change = !config.key_chains.empty()});
  }
  wallet::Wallet wallet(config, wallet::Wallet::fresh_state(config));
  static_cast<void>(wallet.set_scan({.scanned_to = {.height = 50, .hash = {{1}}}, .backfill = {}, .anchors = {}}));
  static_cast<void>(wallet.note_synced());
  out.books.put(electrum::view_of("w", wallet, nullptr));
  return out;
}

const electrum::World& world() {
  static const electrum::World made = make_world();
  return made;
}

/// What would come of an errand, whatever it is.
electrum::Outcome outcome_of(const electrum::Errand& errand) {
  if (const auto* headers = std::get_if<electrum::HeadersWanted>(&errand)) {
    util::ensure(headers->from >= 0 && headers->count <= 2'016, "headers beyond the limit");
    return electrum::HeadersFound{{world().tip->header}, electrum::MerkleBranch{}};
  }
  if (std::holds_alternative<electrum::FeesWanted>(errand)) return electrum::FeesFound{1'000.0, 2'000.0};
  if (std::holds_alternative<electrum::BroadcastWanted>(errand)) return electrum::BroadcastDone{"ab"};
  if (std::holds_alternative<electrum::TxWanted>(errand)) return electrum::TxFound{};
  return electrum::BranchFound{};
}

std::string talk(std::string_view bytes, std::size_t step) {
  electrum::Session session(world());
  std::string out;
  util::TimePoint now{};
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    session.feed(bytes.substr(at, step));
    for (bool goes_on = true; goes_on;) {
      goes_on = session.step(now);
      for (const auto& order : session.take_orders()) {
        const auto* errand = std::get_if<electrum::ErrandOrder>(&order);
        if (errand != nullptr) session.finish(errand->ticket, outcome_of(errand->errand));
      }
      if (session.waits()) session.look_again(now += std::chrono::seconds(30));
    }
    out += session.take_output();
    util::ensure(session.subscriptions() <= world().limits.subscriptions, "too many subscriptions");
    util::ensure(!session.has_work(), "a request is left");
  }
  return out;
}

void check_answer(const boost::json::value& answer) {
  const auto& object = answer.as_object();
  util::ensure(object.contains("id") && object.contains("result") != object.contains("error"), "not an answer");
  if (const auto* error = object.if_contains("error")) {
    util::ensure(!error->as_object().at("message").as_string().empty(), "no reason is given");
  }
}

}  // namespace

SPV_FUZZ_TARGET(electrum, input) {
  if (input.size() > 10'000) return;
  const std::string_view bytes(reinterpret_cast<const char*>(input.data()), input.size());
  const std::string at_once = talk(bytes, 8'192);
  util::ensure(talk(bytes, 7) == at_once || bytes.size() > world().limits.line_bytes, "other answers in parts");
  for (std::size_t at = 0; at < at_once.size();) {
    const auto end = at_once.find('\n', at);
    util::ensure(end != std::string::npos, "an answer without an end");
    const auto answer = boost::json::parse(at_once.substr(at, end - at));
    if (const auto* batch = answer.if_array()) {
      for (const auto& each : *batch) check_answer(each);
    } else {
      check_answer(answer);
    }
    at = end + 1;
  }
}
