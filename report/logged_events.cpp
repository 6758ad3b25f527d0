#include "report/logged_events.h"

#include <boost/json.hpp>

#include "report/values.h"
#include "wallet/address.h"

namespace spv::report {
namespace {

namespace json = boost::json;

json::array paid_json(const std::vector<wallet::OwnOutput>& outputs, const chain::NetworkParams& params) {
  json::array list;
  for (const auto& output : outputs) {
    list.push_back({{"vout", output.vout},
                    {"amount_sat", output.value},
                    {"address", or_null(wallet::address_of_script(output.script, params))},
                    {"chain", output.chain},
                    {"index", output.index}});
  }
  return list;
}

void put_data(json::object& out, const store::LoggedEvent& event, const wallet::TxEvent& tx,
              const chain::NetworkParams& params) {
  out["type"] = "tx";
  out["wallet"] = event.wallet;
  out["txid"] = util::to_string(tx.txid);
  out["state"] = to_string(tx.state);
  out["net_sat"] = tx.net;
  out["height"] = tx.confirmation ? json::value(tx.confirmation->block.height) : nullptr;
  out["block"] = tx.confirmation ? json::value(util::to_string(tx.confirmation->block.hash)) : nullptr;
  out["replaced_by"] = txid_or_null(tx.replaced_by);
  out["outputs"] = paid_json(tx.outputs, params);
}

void put_data(json::object& out, const store::LoggedEvent& /*event*/, const store::TipEvent& tip,
              const chain::NetworkParams& /*params*/) {
  out["type"] = "tip";
  out["height"] = tip.block.height;
  out["hash"] = util::to_string(tip.block.hash);
}

void put_data(json::object& out, const store::LoggedEvent& /*event*/, const store::ReorgEvent& reorg,
              const chain::NetworkParams& /*params*/) {
  out["type"] = "reorg";
  out["from"] = util::to_string(reorg.from);
  out["to"] = util::to_string(reorg.to);
  out["fork_height"] = reorg.fork_height;
}

void put_data(json::object& out, const store::LoggedEvent& event, const store::WalletEvent& wallet,
              const chain::NetworkParams& /*params*/) {
  out["type"] = "wallet";
  out["wallet"] = event.wallet;
  out["state"] = to_string(wallet.state);
}

}  // namespace

json::object event_json(const store::LoggedEvent& event, const chain::NetworkParams& params) {
  json::object out{{"seq", event.seq}};
  std::visit([&](const auto& data) { put_data(out, event, data, params); }, event.data);
  out["time"] = event.time;
  return out;
}

}  // namespace spv::report
