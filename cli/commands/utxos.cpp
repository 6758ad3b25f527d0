// `spv utxos`
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/wallet/label_book.h"
#include "cli/wallet/wallet_file.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

std::string spendable_text(const wallet::Coin& coin) {
  if (coin.reserved) return coin.frozen ? "no, reserved and frozen" : "no, reserved";
  if (coin.frozen) return "no, frozen";
  return coin.spendable ? "yes" : "no";
}

}  // namespace

ExitCode run(const CommonOptions& common, const UtxosOptions&) {
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Read);
  const LabelBook book(*open.stored);
  std::vector<std::string> labels;
  boost::json::array list;
  Table table({{std::string(unit_name(common.unit)), true},
               {"height", true},
               {"spendable", false},
               {"outpoint", false, Narrow::Shorten},
               {"address", false, Narrow::Drop}});
  for (const auto& coin : open.wallet.coins()) {
    const auto txid = util::to_string(coin.outpoint.txid);
    const auto address = wallet::address_of_script(coin.script, params);
    table.add({amount_text(coin.value, common.unit), coin.height ? std::to_string(*coin.height) : "-",
               spendable_text(coin), txid + ":" + std::to_string(coin.outpoint.index), address.value_or("-")});
    list.push_back({{"txid", txid},
                    {"vout", coin.outpoint.index},
                    {"amount_sat", coin.value},
                    {"address", or_null(address)},
                    {"height", or_null(coin.height)},
                    {"confirmations", coin.confirmations},
                    {"spendable", coin.spendable},
                    {"frozen", coin.frozen},
                    {"reserved", coin.reserved},
                    {"path", open.wallet.path_of(coin.chain, coin.index)}});
    labels.push_back(book.of_output(coin.outpoint, address.value_or("")));
    put_label(list.back().as_object(), labels.back());
  }
  print_rows(common.json, "utxos", std::move(list), with_labels(table, labels));
  return ExitCode::Done;
}

}  // namespace spv::cli
