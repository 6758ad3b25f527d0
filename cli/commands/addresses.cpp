// `spv addresses`
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/wallet/label_book.h"
#include "cli/wallet/wallet_file.h"
#include "wallet/address.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const AddressesOptions&) {
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Read);
  const LabelBook book(*open.stored);
  std::vector<std::string> labels;
  boost::json::array list;
  Table table({{"address", false},
               {"path", false, Narrow::Drop},
               {"used", false, Narrow::Drop},
               {fmt::format("received {}", unit_name(common.unit)), true}});
  std::set<util::Bytes> listed;  // an address may be watched twice, by itself and by a descriptor
  const auto entries = open.wallet.addresses();
  if (!entries) client::fail_foreign_script();
  for (const auto& entry : *entries) {
    if (!listed.insert(entry.script).second) continue;
    const auto address = wallet::address_of_script(entry.script, params);
    const auto path = open.wallet.path_of(entry.chain, entry.index);
    table.add({address.value_or("-"), path, entry.used ? "yes" : "no", amount_text(entry.received, common.unit)});
    boost::json::object row{
        {"address", or_null(address)}, {"path", path}, {"used", entry.used}, {"received_sat", entry.received}};
    labels.push_back(address ? book.of_address(*address) : std::string());
    put_label(row, labels.back());
    list.push_back(std::move(row));
  }
  print_rows(common.json, "addresses", std::move(list), with_labels(table, labels));
  return ExitCode::Done;
}

}  // namespace spv::cli
