#include "serve/electrum/outcome_json.h"

#include <boost/json.hpp>

#include "util/hex.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

using Answer = util::Expected<json::value, RpcError>;

constexpr double kSatPerBtc = chain::kCoin;

json::array hashes_json(const std::vector<util::Hash256>& hashes) {
  json::array out;
  for (const auto& each : hashes) out.emplace_back(util::to_string(each));
  return out;
}

void add_proof(json::object& out, const HeadersFound& found) {
  if (!found.proof) return;
  out["branch"] = hashes_json(found.proof->branch);
  out["root"] = util::to_string(found.proof->root);
}

Answer headers_json(const HeadersWanted& wanted, const HeadersFound& found, const Version& version) {
  if (wanted.single) {
    if (found.headers.empty()) return util::Unexpected{RpcError{kCannot, "block height out of range"}};
    const auto hex = header_hex(found.headers.front());
    if (!found.proof) return json::value(hex);
    json::object out{{"header", hex}};
    add_proof(out, found);
    return json::value(std::move(out));
  }
  json::object out{{"count", found.headers.size()}, {"max", kMostHeaders}};
  if (version >= kWithLists) {
    json::array list;
    for (const auto& each : found.headers) list.emplace_back(header_hex(each));
    out["headers"] = std::move(list);
  } else {
    std::string hex;
    hex.reserve(found.headers.size() * chain::BlockHeader::kSize * 2);
    for (const auto& each : found.headers) hex += header_hex(each);
    out["hex"] = hex;
  }
  add_proof(out, found);
  return json::value(std::move(out));
}

json::value tx_json(const TxWanted& wanted, const TxFound& found) {
  const auto raw = found.tx.serialize();
  if (!wanted.verbose) return json::value(util::to_hex(raw));
  json::object out{{"txid", util::to_string(found.tx.txid())},
                   {"hash", util::to_string(found.tx.wtxid())},
                   {"version", found.tx.version},
                   {"size", raw.size()},
                   {"locktime", found.tx.lock_time},
                   {"hex", util::to_hex(raw)},
                   {"confirmations", 0}};
  if (const auto& confirmation = found.confirmation) {
    out["blockhash"] = util::to_string(confirmation->block.hash);
    out["confirmations"] = std::max(1, found.tip - confirmation->block.height + 1);
    out["time"] = out["blocktime"] = confirmation->block_time;
  }
  return out;
}

json::value branch_json(const BranchFound& found) {
  return json::object{
      {"block_height", found.height}, {"merkle", hashes_json(found.branch.branch)}, {"pos", found.branch.position}};
}

json::value position_json(const PositionWanted& wanted, const BranchFound& found) {
  const auto txid = util::to_string(found.txid);
  if (!wanted.with_branch) return json::value(txid);
  return json::object{{"tx_hash", txid}, {"merkle", hashes_json(found.branch.branch)}};
}

json::value fees_json(const FeesWanted& wanted, const FeesFound& found) {
  const double floor = found.floor.value_or(0) / kSatPerBtc;
  switch (wanted.kind) {
    case FeesWanted::Kind::Estimate:
      return found.estimate ? json::value(*found.estimate / kSatPerBtc) : json::value(-1);
    case FeesWanted::Kind::Relay:
      return floor;
    case FeesWanted::Kind::Mempool:
      break;
  }
  return json::object{{"mempoolminfee", floor}, {"minrelaytxfee", floor}, {"incrementalrelayfee", floor}};
}

}  // namespace

std::string header_hex(const chain::BlockHeader& header) { return util::to_hex(header.bytes()); }

Answer outcome_json(const Errand& errand, const Outcome& outcome, const Version& version) {
  if (const auto* error = std::get_if<RpcError>(&outcome)) return util::Unexpected{*error};
  const auto* headers = std::get_if<HeadersWanted>(&errand);
  if (const auto* found = std::get_if<HeadersFound>(&outcome); found != nullptr && headers != nullptr) {
    return headers_json(*headers, *found, version);
  }
  const auto* tx = std::get_if<TxWanted>(&errand);
  if (const auto* found = std::get_if<TxFound>(&outcome); found != nullptr && tx != nullptr) {
    return tx_json(*tx, *found);
  }
  if (const auto* found = std::get_if<BranchFound>(&outcome)) {
    const auto* position = std::get_if<PositionWanted>(&errand);
    return position != nullptr ? position_json(*position, *found) : branch_json(*found);
  }
  if (const auto* done = std::get_if<BroadcastDone>(&outcome)) return json::value(done->txid);
  const auto* fees = std::get_if<FeesWanted>(&errand);
  if (const auto* found = std::get_if<FeesFound>(&outcome); found != nullptr && fees != nullptr) {
    return fees_json(*fees, *found);
  }
  return util::Unexpected{RpcError{kCannot, "the server could not answer"}};
}

}  // namespace spv::serve::electrum
