// blockchain.scripthash.*: what is known of a script. An empty answer says that it has no transactions, so it is given
// only where the chain was scanned for that script.
#include <array>

#include <boost/json.hpp>

#include "serve/electrum/methods.h"
#include "util/hex.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

using Found = Books::Found;

RpcError stranger() {
  return {kCannot,
          "this script belongs to no wallet that this server follows; add the wallet with spv watch or spv restore, "
          "then connect again"};
}

NotYet scanning(const World& world, const std::string& wallet, chain::Height scanned_to) {
  const std::string tip = world.tip ? " of " + std::to_string(world.tip->height) : "";
  const std::string at = scanned_to < 0 ? "" : " (block " + std::to_string(scanned_to) + tip + ")";
  return NotYet{{kCannot, "the wallet '" + wallet + "' is still being scanned" + at + "; try again later"}};
}

/// Why nothing can be said about a script now, if that is so.
std::optional<Reaction> obstacle(MethodContext& context, const ScriptHash& script) {
  const World& world = context.world();
  const auto found = world.books.find(script);
  switch (found.kind) {
    case Found::Kind::Known:
      return std::nullopt;
    case Found::Kind::Scanning:
      return scanning(world, found.place.wallet, found.scanned_to);
    case Found::Kind::Ahead:
      context.order(WidenOrder{found.place});
      return scanning(world, found.place.wallet, -1);
    case Found::Kind::Stranger:
      break;
  }
  if (!world.is_loaded) return NotYet{{kCannot, "the server is starting; try again"}};
  if (!world.is_ahead) {
    context.order(LookAheadOrder{});
    return NotYet{stranger()};
  }
  context.note_stranger();
  if (world.empty_unknown) return std::nullopt;
  return stranger();
}

template <json::value (*show)(const World&, const ScriptHash&)>
Reaction about(MethodContext& context, Arguments& arguments) {
  const auto script = arguments.hash<ScriptHash>(0);
  if (arguments.error()) return *arguments.error();
  if (auto instead = obstacle(context, script)) return std::move(*instead);
  return Answered{show(context.world(), script)};
}

json::object line_json(const HistoryLine& line) {
  json::object out{{"tx_hash", util::to_string(line.txid)}, {"height", line.height}};
  if (!line.is_confirmed()) out["fee"] = line.fee;
  return out;
}

json::value history(const World& world, const ScriptHash& script) {
  json::array out;
  for (const auto& line : world.books.history(script).lines) out.emplace_back(line_json(line));
  return out;
}

json::value mempool(const World& world, const ScriptHash& script) {
  json::array out;
  for (const auto& line : world.books.history(script).lines) {
    if (!line.is_confirmed()) out.emplace_back(line_json(line));
  }
  return out;
}

json::value balance(const World& world, const ScriptHash& script) {
  const auto sums = balance_of(world.books.history(script).outputs);
  return json::object{{"confirmed", sums.confirmed}, {"unconfirmed", sums.unconfirmed}};
}

json::value unspent(const World& world, const ScriptHash& script) {
  json::array out;
  for (const auto& output : world.books.history(script).outputs) {
    if (output.spent != PaidOutput::Spent::No) continue;
    out.emplace_back(json::object{{"tx_hash", util::to_string(output.outpoint.txid)},
                                  {"tx_pos", output.outpoint.index},
                                  {"height", output.height},
                                  {"value", output.value}});
  }
  return out;
}

Reaction subscribe_script(MethodContext& context, Arguments& arguments) {
  const auto script = arguments.hash<ScriptHash>(0);
  if (arguments.error()) return *arguments.error();
  if (auto instead = obstacle(context, script)) return std::move(*instead);
  const auto status = context.world().books.status(script);
  if (!context.subscribe(script, status)) {
    return RpcError{kCannot, "too many subscriptions: at most " + std::to_string(context.world().limits.subscriptions)};
  }
  return Answered{status_json(status)};
}

Reaction unsubscribe_script(MethodContext& context, Arguments& arguments) {
  const auto script = arguments.hash<ScriptHash>(0);
  if (arguments.error()) return *arguments.error();
  return Answered{json::value(context.unsubscribe(script))};
}

constexpr std::array<std::string_view, 1> kScript{"scripthash"};

}  // namespace

json::value status_json(const Status& status) {
  // Hex in the order of the bytes, unlike other hashes of the protocol.
  return status ? json::value(util::to_hex(status->view())) : json::value(nullptr);
}

std::span<const Method> script_methods() {
  static constexpr std::array<Method, 6> kMethods{{{"blockchain.scripthash.subscribe", kScript, subscribe_script},
                                                   {"blockchain.scripthash.unsubscribe", kScript, unsubscribe_script},
                                                   {"blockchain.scripthash.get_history", kScript, about<history>},
                                                   {"blockchain.scripthash.get_mempool", kScript, about<mempool>},
                                                   {"blockchain.scripthash.get_balance", kScript, about<balance>},
                                                   {"blockchain.scripthash.listunspent", kScript, about<unspent>}}};
  return kMethods;
}

}  // namespace spv::serve::electrum
