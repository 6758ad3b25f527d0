// `spv psbt extract`: the finished transaction of a PSBT, in hex.
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/output/new_file.h"
#include "cli/output/report.h"
#include "util/hex.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PsbtExtractOptions& options) {
  const chain::Transaction tx = extract_transaction(read_psbt_input(options.file));
  const std::string hex = util::to_hex(tx.serialize());
  if (!options.out.empty()) write_new_file(options.out, util::as_bytes(hex + "\n"), "psbt-file");
  if (common.json) {
    print_json({{"txid", util::to_string(tx.txid())}, {"hex", hex}});
  } else if (options.out.empty()) {
    print_line(hex);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
