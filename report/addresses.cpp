#include "report/addresses.h"

#include <set>

#include <boost/json.hpp>

#include "client/open_wallet.h"
#include "report/values.h"
#include "wallet/address.h"

namespace spv::report {

std::vector<wallet::ScriptEntry> addresses_of(wallet::Wallet& wallet) {
  auto entries = wallet.addresses();
  if (!entries) client::fail_foreign_script();
  std::set<util::Bytes> listed;
  std::erase_if(*entries, [&](const auto& entry) { return !listed.insert(entry.script).second; });
  return std::move(*entries);
}

boost::json::object address_row(const wallet::ScriptEntry& entry, const wallet::Wallet& wallet,
                                const chain::NetworkParams& params, const LabelBook& book) {
  const auto address = wallet::address_of_script(entry.script, params);
  boost::json::object row{{"address", or_null(address)},
                          {"path", wallet.path_of(entry.chain, entry.index)},
                          {"used", entry.used},
                          {"received_sat", entry.received}};
  put_label(row, address ? book.of_address(*address) : std::string());
  return row;
}

}  // namespace spv::report
