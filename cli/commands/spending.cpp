// `spv send`, `bump` and `broadcast`: not in this version, and said so.
#include "cli/commands/commands.h"

namespace spv::cli {

ExitCode run(const CommonOptions&, const SpendOptions& options) {
  throw CommandError(ExitCode::Failed, "cannot-spend",
                     "spv " + options.command +
                         ": this version finds and proves coins but cannot spend them yet; restore the mnemonic in a "
                         "wallet that can");
}

}  // namespace spv::cli
