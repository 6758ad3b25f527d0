// FileLock: one process follows a wallet at a time. The lock is held by the kernel for the life of the process, so a
// crash frees it; the file beside the wallet only says who has it. Short commands that change what belongs to the user
// alone (addresses handed out, labels) do not take it: see WalletRepository.
#pragma once

#include <filesystem>
#include <string>

#include "store/file_descriptor.h"
#include "store/store_error.h"

namespace spv::store {

class FileLock {
 public:
  /// Takes the lock of a wallet file at once, or throws Locked with the process that has it.
  explicit FileLock(const std::filesystem::path& wallet_path);

  /// Takes the lock file away, as the last that is done under the lock, where no wallet is left that it belongs to.
  /// Safe while it is held, and only then: who has opened it by now sees that it has lost its name, and makes another
  /// one.
  void remove_file() const noexcept;

  /// "NAME.sqlite.lock".
  static std::filesystem::path lock_path(const std::filesystem::path& wallet_path);

 private:
  std::string path_;
  FileDescriptor file_;
};

}  // namespace spv::store
