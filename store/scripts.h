// The scripts of a wallet file, as they were derived: so that opening a wallet need not derive them again. They are a
// copy; what is missing is derived.
#pragma once

#include <vector>

#include "store/database.h"
#include "store/rows.h"
#include "wallet/script_list.h"

namespace spv::store {

// All within a transaction.
/// For each key chain those from index 0 on, as far as they are stored without a gap.
std::vector<wallet::ScriptList> read_scripts(Database& db, const std::vector<KeyChainRow>& key_chains);
void write_scripts(Database& db, const std::vector<wallet::ChainScripts>& scripts);

}  // namespace spv::store
