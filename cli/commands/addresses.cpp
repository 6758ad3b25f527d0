// `spv addresses`
#include "report/addresses.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/label_column.h"
#include "cli/wallet/wallet_file.h"
#include "wallet/address.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const AddressesOptions&) {
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Read);
  const report::LabelBook book(open.stored->labels());
  std::vector<std::string> labels;
  boost::json::array list;
  Table table({{"address", false},
               {"path", false, Narrow::Drop},
               {"used", false, Narrow::Drop},
               {fmt::format("received {}", unit_name(common.unit)), true}});
  for (const auto& entry : report::addresses_of(open.wallet)) {
    const auto address = wallet::address_of_script(entry.script, params);
    table.add({address.value_or("-"), open.wallet.path_of(entry.chain, entry.index), entry.used ? "yes" : "no",
               amount_text(entry.received, common.unit)});
    labels.push_back(address ? book.of_address(*address) : std::string());
    list.push_back(address_row(entry, open.wallet, params, book));
  }
  print_rows(common.json, "addresses", std::move(list), with_labels(table, labels));
  return ExitCode::Done;
}

}  // namespace spv::cli
