// Wallets as the tables hold them: read together, with every value checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/params.h"
#include "store/postgres/connection.h"
#include "store/stored_wallet.h"

namespace spv::store::postgres {

/// What is known of a wallet without its contents.
struct WalletHeader {
  std::int64_t id = 0;
  std::string name;
  WalletInfo info;
};

/// Those of these wallets that there are, by name.
std::map<std::string, WalletHeader> read_headers(Connection& connection, const std::vector<std::string>& names);
/// One moment of them all. Throws Moved for one that is not there any more.
std::map<std::int64_t, WalletContents> read_contents(Connection& connection, const std::vector<std::int64_t>& ids,
                                                     chain::Network network);
/// All of one wallet, of one moment. Throws Moved as well.
WalletCopy read_copy(Connection& connection, std::int64_t id, chain::Network network);
/// From a row of sql::kSecret, which is wiped; nothing without one.
std::optional<StoredSecret> take_secret(Result& rows);
/// One row of a query for key chains.
wallet::KeyChainConfig read_key_chain(const Result& rows, std::size_t row, const wallet::WalletConfig& config,
                                      wallet::KeyChainState& state);

/// Of a wallet that was renamed or deleted while it was open.
[[noreturn]] void throw_moved(const std::string& what);

}  // namespace spv::store::postgres
