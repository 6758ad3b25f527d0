#include "report/coins.h"

#include <boost/json.hpp>

#include "report/values.h"
#include "wallet/address.h"

namespace spv::report {

boost::json::object coin_row(const wallet::Coin& coin, const wallet::Wallet& wallet, const chain::NetworkParams& params,
                             const LabelBook& book) {
  const auto address = wallet::address_of_script(coin.script, params);
  boost::json::object row{{"txid", util::to_string(coin.outpoint.txid)},
                          {"vout", coin.outpoint.index},
                          {"amount_sat", coin.value},
                          {"address", or_null(address)},
                          {"height", or_null(coin.height)},
                          {"confirmations", coin.confirmations},
                          {"spendable", coin.spendable},
                          {"frozen", coin.frozen},
                          {"reserved", coin.reserved},
                          {"path", wallet.path_of(coin.chain, coin.index)}};
  put_label(row, book.of_output(coin.outpoint, address.value_or("")));
  return row;
}

}  // namespace spv::report
