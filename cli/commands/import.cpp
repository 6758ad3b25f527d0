// `spv import`: a wallet from a wallet file, to wherever wallets are stored.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "store/wallet_repository.h"

namespace spv::cli {
namespace {

store::NewStoredWallet read_wallet_file(const CommonOptions& common, const std::string& path) {
  auto file = store::WalletRepository::open(path, store::WalletRepository::Mode::ReadOnly, common.network);
  return store::copy_of(file);
}

}  // namespace

ExitCode run(const CommonOptions& common, const ImportOptions& options) {
  require_no_wallet(common);
  const auto wallet = read_wallet_file(common, options.file);
  store_of(common)->create(common.wallet, wallet);
  const auto transactions = wallet.contents.state.transactions.size();
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"file", options.file}, {"transactions", transactions}});
  } else {
    print_line(fmt::format("wallet '{}' imported from {} with {} {}", common.wallet, options.file, transactions,
                           transactions == 1 ? "transaction" : "transactions"));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
