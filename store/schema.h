// The tables of a wallet file, how to know one, and how to bring an older one up to date.
#pragma once

#include <cstdint>

#include "store/database.h"

namespace spv::store {

/// "spvw": what SQLite's application_id says in every wallet file.
inline constexpr std::int64_t kApplicationId = 0x73707677;
/// The version of the tables, in SQLite's user_version. Grows by one with each migration.
inline constexpr std::int64_t kSchemaVersion = 9;

/// Makes the tables in an empty database.
void create_schema(Database& db);
/// Throws NotAWallet, NewerSchema or Corrupt for what is not a sound wallet file of this version or an earlier one.
void check_file(Database& db);
/// Brings an older file up to date, all steps in one transaction.
void migrate(Database& db);
/// Throws Corrupt unless the tables are exactly those of this version.
void check_tables(Database& db);

}  // namespace spv::store
