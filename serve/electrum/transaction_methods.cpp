// blockchain.transaction.*, fees and the mempool.
#include <array>

#include <boost/json.hpp>

#include "serve/electrum/methods.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMostPosition = 1'000'000;
constexpr std::int64_t kMostTarget = 1'008;

Reaction get_tx(MethodContext& /*context*/, Arguments& arguments) {
  const TxWanted wanted{.txid = arguments.hash<chain::Txid>(0), .verbose = arguments.flag_or(1, false)};
  if (arguments.error()) return *arguments.error();
  return Errand{wanted};
}

Reaction get_merkle(MethodContext& /*context*/, Arguments& arguments) {
  const BranchWanted wanted{.txid = arguments.hash<chain::Txid>(0),
                            .height = static_cast<chain::Height>(arguments.integer_or(1, 0, kMostHeight, 0))};
  if (arguments.error()) return *arguments.error();
  return Errand{wanted};
}

Reaction id_from_pos(MethodContext& /*context*/, Arguments& arguments) {
  const PositionWanted wanted{.height = static_cast<chain::Height>(arguments.integer(0, 0, kMostHeight)),
                              .position = static_cast<std::uint32_t>(arguments.integer(1, 0, kMostPosition)),
                              .with_branch = arguments.flag_or(2, false)};
  if (arguments.error()) return *arguments.error();
  return Errand{wanted};
}

Reaction broadcast(MethodContext& /*context*/, Arguments& arguments) {
  BroadcastWanted wanted{arguments.text(0)};
  if (arguments.error()) return *arguments.error();
  return Errand{std::move(wanted)};
}

Reaction broadcast_package(MethodContext& /*context*/, Arguments& /*arguments*/) {
  return RpcError{kCannot, "packages cannot be sent by a light client; broadcast the transactions one by one"};
}

Reaction estimate(MethodContext& /*context*/, Arguments& arguments) {
  static_cast<void>(arguments.integer(0, 0, kMostTarget));
  static_cast<void>(arguments.text_or(1, ""));
  if (arguments.error()) return *arguments.error();
  return Errand{FeesWanted{FeesWanted::Kind::Estimate}};
}

Reaction relay_fee(MethodContext& /*context*/, Arguments& /*arguments*/) {
  return Errand{FeesWanted{FeesWanted::Kind::Relay}};
}

Reaction mempool_info(MethodContext& /*context*/, Arguments& /*arguments*/) {
  return Errand{FeesWanted{FeesWanted::Kind::Mempool}};
}

// A light client has no mempool.
Reaction histogram(MethodContext& /*context*/, Arguments& /*arguments*/) { return Answered{json::array()}; }

constexpr std::array<std::string_view, 2> kGet{"tx_hash", "verbose"};
constexpr std::array<std::string_view, 2> kMerkle{"tx_hash", "height"};
constexpr std::array<std::string_view, 3> kPosition{"height", "tx_pos", "merkle"};
constexpr std::array<std::string_view, 1> kBroadcast{"raw_tx"};
constexpr std::array<std::string_view, 2> kPackage{"raw_txs", "verbose"};
constexpr std::array<std::string_view, 2> kEstimate{"number", "mode"};

}  // namespace

std::span<const Method> transaction_methods() {
  static constexpr std::array<Method, 9> kMethods{
      {{"blockchain.transaction.get", kGet, get_tx},
       {"blockchain.transaction.get_merkle", kMerkle, get_merkle},
       {"blockchain.transaction.id_from_pos", kPosition, id_from_pos},
       {"blockchain.transaction.broadcast", kBroadcast, broadcast},
       {"blockchain.transaction.broadcast_package", kPackage, broadcast_package},
       {"blockchain.estimatefee", kEstimate, estimate},
       {"blockchain.relayfee", {}, relay_fee},
       {"mempool.get_info", {}, mempool_info},
       {"mempool.get_fee_histogram", {}, histogram}}};
  return kMethods;
}

}  // namespace spv::serve::electrum
