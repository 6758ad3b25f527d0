// The tables of the database: how an empty database gets them, how an older one is brought up to date, and how one is
// refused that is newer, of another network or another program's.
#pragma once

#include "chain/params.h"
#include "store/postgres/connection.h"

namespace spv::store::postgres {

/// The version of the tables that this program knows; grows by one with each migration.
int schema_version();

/// Makes the tables, or brings them up to date: each step in one transaction, under a lock, so that of two processes
/// that start at once one migrates while the other waits. Throws NewerSchema, WrongNetwork, or NotAWallet for a
/// database with tables of another program; then nothing is changed.
void migrate(Connection& connection, chain::Network network);
/// The same on a connection of its own, which waits as long as a large table takes.
void migrate(const DatabaseUrl& url, chain::Network network);
/// Only so far: for tests of the later steps.
void migrate_to(Connection& connection, chain::Network network, int version);

}  // namespace spv::store::postgres
