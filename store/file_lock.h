// FileLock: one process follows a wallet at a time. The lock is held by the kernel for the life of the process, so a
// crash frees it; the file beside the wallet only says who has it. Short commands that change what belongs to the user
// alone (addresses handed out, labels) do not take it: see WalletRepository.
#pragma once

#include <filesystem>

#include "store/file_descriptor.h"
#include "store/store_error.h"

namespace spv::store {

class FileLock {
 public:
  /// Takes the lock of a wallet file at once, or throws Locked with the process that has it.
  explicit FileLock(const std::filesystem::path& wallet_path);

  /// "NAME.sqlite.lock".
  static std::filesystem::path lock_path(const std::filesystem::path& wallet_path);

 private:
  FileDescriptor file_;
};

}  // namespace spv::store
