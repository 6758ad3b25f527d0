// PSBTs in files: base64 or binary in; base64 out, so that a file can be mailed and pasted.
#pragma once

#include <string>

#include "chain/transaction.h"
#include "cli/error.h"
#include "wallet/spend/psbt.h"

namespace spv::cli {

/// The file's bytes, "-" for stdin. Throws CommandError if it cannot be read or is too large.
std::string read_psbt_input(const std::string& path);
/// Throws CommandError for what is not a valid PSBT.
wallet::spend::Psbt read_psbt_file(const std::string& path);
/// To a new file, or with an empty path to stdout.
void write_psbt_file(const std::string& path, const wallet::spend::Psbt& psbt);
/// The finished transaction of a file that was read. Throws CommandError if it is not finished.
chain::Transaction extract_transaction(const std::string& file);

/// The value, or what is wrong as the error of a command: exit 1.
template <typename T>
T take(util::Expected<T, wallet::spend::PsbtError> made) {
  if (!made) {
    throw CommandError(ExitCode::Failed, std::string(to_string(made.error().code)), made.error().message);
  }
  return std::move(*made);
}

}  // namespace spv::cli
