#include "cli/commands/spend/psbt_result.h"

#include <boost/json.hpp>

#include "cli/commands/spend/psbt_file.h"
#include "cli/output/report.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::cli {

ExitCode write_result(const CommonOptions& common, const std::string& out, const wallet::spend::Psbt& psbt) {
  if (!out.empty() || !common.json) write_psbt_file(out, psbt);
  if (common.json) {
    print_json({{"psbt", to_base64(psbt)}, {"complete", wallet::spend::finalize_psbt(psbt).has_value()}});
  } else if (!out.empty()) {
    print_line("PSBT written to " + out);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
