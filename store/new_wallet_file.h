// Making the file of a new wallet.
#pragma once

#include <filesystem>
#include <functional>

#include "store/file_lock.h"
#include "store/store.h"

namespace spv::store {

/// Makes the file and gives the lock on it. Nothing is ever overwritten, and a crash leaves no half-made file. For
/// `before_naming` see Store::create().
FileLock make_wallet_file(const std::filesystem::path& path, const NewStoredWallet& wallet,
                          const std::function<void()>& before_naming);

}  // namespace spv::store
