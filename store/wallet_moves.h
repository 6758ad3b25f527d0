// What is done with a wallet file as a whole: another name, its end, a copy. No process may have it open for writing;
// one that reads, or that writes for a moment, is waited for.
#pragma once

#include <filesystem>

#include "store/store_error.h"

namespace spv::store {

/// Gives a wallet another name; throws Exists if there is something of that name, Locked while it is in use.
void rename_wallet(const std::filesystem::path& from, const std::filesystem::path& to);
/// Removes a wallet with all that lies beside it; throws Locked while it is in use. A damaged one goes too.
void delete_wallet(const std::filesystem::path& path);
/// Copies a wallet as it is at one moment, also while another process writes it: to a new file of mode 0600, which is
/// on disk when this returns. Throws Exists if there is something of that name; a failure leaves nothing there.
void backup_wallet(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace spv::store
