#include "tests/integration/same_keys.h"

#include <iostream>
#include <set>
#include <stdexcept>

#include "wallet/descriptor.h"
#include "wallet/extended_key.h"
#include "wallet/mnemonic.h"

namespace spv::test {
namespace {

namespace json = boost::json;

std::string text(const json::value& value) { return std::string(value.as_string()); }

struct Account {
  const char* script;
  const char* purpose;
  const char* before;
  const char* after;
};
constexpr Account kAccounts[]{{"pkh", "44", "pkh(", ")"},
                              {"sh-wpkh", "49", "sh(wpkh(", "))"},
                              {"wpkh", "84", "wpkh(", ")"},
                              {"tr", "86", "tr(", ")"}};

/// The private descriptor of one chain of an account, with its checksum, as importdescriptors takes it.
std::string private_descriptor(const Account& account, int chain) {
  const auto& params = chain::params(chain::Network::Regtest);
  const auto mnemonic = wallet::Mnemonic::parse(SameKeys::kMnemonic);
  const auto seed = mnemonic->seed("");
  const auto master = wallet::ExtendedPrivateKey::from_seed(seed->view());
  const auto key = master->to_text(params);
  const std::string body = account.before + std::string(key.begin(), key.end()) + "/" + account.purpose + "h/1h/0h/" +
                           std::to_string(chain) + "/*" + account.after;
  return body + "#" + wallet::descriptor_checksum(body);
}

json::array import_request(const std::string& script) {
  json::array requests;
  for (const Account& account : kAccounts) {
    if (script != account.script && script != "all") continue;
    for (int chain = 0; chain < 2; ++chain) {
      requests.push_back({{"desc", private_descriptor(account, chain)},
                          {"active", true},
                          {"internal", chain == 1},
                          {"range", {0, 999}},
                          {"timestamp", 0}});
    }
  }
  return requests;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Holdings& holdings) {
  out << "total " << holdings.total << "\n";
  for (const auto& [coin, value] : holdings.coins) out << "  coin " << coin << " " << value << "\n";
  for (const auto& [txid, height] : holdings.heights) {
    out << "  tx " << txid << " at " << height << " net " << holdings.net.at(txid) << "\n";
  }
  return out;
}

SameKeys::SameKeys(Bitcoind& node, SpvCli& cli, const std::string& script) : node_(node), cli_(cli) {
  // name, disable_private_keys, blank, passphrase, avoid_reuse, descriptors
  node_.rpc("createwallet", kWallet, false, true, "", false, true);
  const auto results = node_.wallet_rpc(kWallet, "importdescriptors", import_request(script));
  for (const auto& result : results.as_array()) {
    if (!result.at("success").as_bool()) throw std::runtime_error(json::serialize(result));
  }
  cli_.json({"restore", "--mnemonic-file", "-", "--script", script}, std::string(kMnemonic) + "\n");
}

json::value SameKeys::sync(std::vector<std::string> extra) {
  std::vector<std::string> arguments{"sync", "--connect", node_.address()};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return cli_.json(std::move(arguments));
}

json::value SameKeys::sync_with_mempool() {
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto summary = sync({"--mempool-wait", "20"});
    if (summary.at("mempool") == "answered") return summary;
    std::cerr << "the mempool was not answered: " << json::serialize(summary) << "\n";
  }
  throw std::runtime_error("the node never answers for its mempool");
}

Holdings SameKeys::by_spv() {
  Holdings out;
  out.total = cli_.json({"balance"}).at("total_sat").as_int64();
  const auto utxos = cli_.json({"utxos"});
  for (const auto& coin : utxos.at("utxos").as_array()) {
    const auto name = text(coin.at("txid")) + ":" + std::to_string(coin.at("vout").as_int64());
    out.coins[name] = coin.at("amount_sat").as_int64();
  }
  const auto history = cli_.json({"history"});
  for (const auto& tx : history.at("transactions").as_array()) {
    if (tx.at("status").as_string() == "conflicted") continue;
    const auto txid = text(tx.at("txid"));
    out.heights[txid] = tx.at("height").is_null() ? -1 : tx.at("height").as_int64();
    out.net[txid] = tx.at("net_sat").as_int64();
  }
  return out;
}

Holdings SameKeys::by_bitcoind() {
  Holdings out;
  const auto balances = node_.wallet_rpc(kWallet, "getbalances").at("mine");
  out.total =
      to_sat(balances.at("trusted")) + to_sat(balances.at("untrusted_pending")) + to_sat(balances.at("immature"));
  // minconf, maxconf, addresses, include_unsafe, query: immature ones too
  const auto coins = node_.wallet_rpc(kWallet, "listunspent", 0, 9999999, json::array{}, true,
                                      json::value{{"include_immature_coinbase", true}});
  for (const auto& coin : coins.as_array()) {
    out.coins[text(coin.at("txid")) + ":" + std::to_string(coin.at("vout").as_int64())] = to_sat(coin.at("amount"));
  }
  std::set<std::string> mempool;
  const auto unconfirmed = node_.rpc("getrawmempool");
  for (const auto& txid : unconfirmed.as_array()) mempool.insert(text(txid));
  // blockhash, target_confirmations, include_watchonly, include_removed, include_change: other lists leave out what
  // pays change addresses alone
  const auto listed = node_.wallet_rpc(kWallet, "listsinceblock", "", 1, false, false, true).at("transactions");
  for (const auto& entry : listed.as_array()) {
    const auto txid = text(entry.at("txid"));
    if (entry.at("confirmations").to_number<std::int64_t>() < 0 || out.heights.contains(txid)) continue;
    const auto tx = node_.wallet_rpc(kWallet, "gettransaction", txid);
    // Outside the chain and the mempool: replaced, or a coinbase of a block that is gone.
    if (!tx.as_object().contains("blockheight") && !mempool.contains(txid)) continue;
    out.heights[txid] = tx.as_object().contains("blockheight") ? tx.at("blockheight").as_int64() : -1;
    const bool generated = tx.as_object().contains("generated") && tx.at("generated").as_bool();
    std::int64_t net = 0;
    if (generated) {
      for (const auto& detail : tx.at("details").as_array()) net += to_sat(detail.at("amount"));
    } else {
      net = to_sat(tx.at("amount")) + (tx.as_object().contains("fee") ? to_sat(tx.at("fee")) : 0);
    }
    out.net[txid] = net;
  }
  return out;
}

std::string SameKeys::receive_address(const std::string& type) {
  return text(node_.wallet_rpc(kWallet, "getnewaddress", "", type));
}

std::string SameKeys::change_address(const std::string& type) {
  return text(node_.wallet_rpc(kWallet, "getrawchangeaddress", type));
}

std::string SameKeys::spend(const std::string& to, std::int64_t amount_sat) {
  const double btc = static_cast<double>(amount_sat) / 1e8;
  return node_.taken(kWallet, text(node_.wallet_rpc(kWallet, "sendtoaddress", to, btc)));
}

std::string SameKeys::spend_unsafe(const std::string& to, std::int64_t amount_sat) {
  const json::array outputs{json::object{{to, static_cast<double>(amount_sat) / 1e8}}};
  const json::object options{{"include_unsafe", true}, {"subtract_fee_from_outputs", {0}}};
  // outputs, conf_target, estimate_mode, fee_rate, options
  return node_.taken(kWallet,
                     text(node_.wallet_rpc(kWallet, "send", outputs, nullptr, "unset", nullptr, options).at("txid")));
}

std::string SameKeys::spend_all(const std::string& to) {
  return node_.taken(kWallet, text(node_.wallet_rpc(kWallet, "sendall", json::array{to}).at("txid")));
}

}  // namespace spv::test
