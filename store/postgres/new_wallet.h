// A new wallet in the tables.
#pragma once

#include <functional>
#include <string>

#include "store/postgres/connection.h"
#include "store/store.h"

namespace spv::store::postgres {

/// See Store::create.
void insert_wallet(Connection& connection, const std::string& name, const NewStoredWallet& wallet,
                   const std::function<void()>& before_naming);
/// Throws Exists where a name is taken.
[[noreturn]] void throw_exists(const std::string& name);

}  // namespace spv::store::postgres
