// `spv utxos`
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/label_column.h"
#include "cli/wallet/wallet_file.h"
#include "report/coins.h"
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
  const report::LabelBook book(open.stored->labels());
  std::vector<std::string> labels;
  boost::json::array list;
  Table table({{std::string(unit_name(common.unit)), true},
               {"height", true},
               {"spendable", false},
               {"outpoint", false, Narrow::Shorten},
               {"address", false, Narrow::Drop}});
  for (const auto& coin : open.wallet.coins()) {
    const auto address = wallet::address_of_script(coin.script, params);
    table.add({amount_text(coin.value, common.unit), coin.height ? std::to_string(*coin.height) : "-",
               spendable_text(coin), report::to_text(coin.outpoint), address.value_or("-")});
    labels.push_back(book.of_output(coin.outpoint, address.value_or("")));
    list.push_back(coin_row(coin, open.wallet, params, book));
  }
  print_rows(common.json, "utxos", std::move(list), with_labels(table, labels));
  return ExitCode::Done;
}

}  // namespace spv::cli
