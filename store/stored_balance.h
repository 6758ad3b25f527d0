// The balance of a wallet file, kept beside what it is computed from: to compute it, every transaction has to be read.
// It counts only with a checksum over itself and all that it was computed from: the transactions (by their sum, which
// each commit renews), the key chains, and the version of the program. Whoever finds no such balance computes it.
#pragma once

#include <filesystem>
#include <optional>

#include "chain/params.h"
#include "wallet/records.h"

namespace spv::store {

class Database;

struct StoredBalance {
  wallet::Balance balance;
  chain::Height birthday = 0;
  wallet::ScanState scan;
};

/// Within the transaction in which the file comes to hold what was counted; does nothing if it holds something else.
void write_balance(Database& db, const wallet::CountedBalance& counted);
/// Nothing unless it is of what the file holds now. Within a transaction. Throws StoreError.
std::optional<StoredBalance> read_balance(Database& db);
/// The same of a file that need not be there, or sound. Only what is read is checked, and whatever is wrong gives
/// nothing: to open the wallet tells what it is.
std::optional<StoredBalance> balance_of_file(const std::filesystem::path& name, chain::Network network);

}  // namespace spv::store
