// `spv psbt combine`: merges the signatures of several PSBTs of one transaction.
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/psbt_result.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PsbtCombineOptions& options) {
  if (std::ranges::count(options.files, "-") > 1) throw UsageError("stdin (-) can be read only once");
  std::vector<wallet::spend::Psbt> psbts;
  psbts.reserve(options.files.size());
  for (const auto& file : options.files) psbts.push_back(read_psbt_file(file));
  return write_result(common, options.out, take(wallet::spend::combine_psbts(psbts)));
}

}  // namespace spv::cli
