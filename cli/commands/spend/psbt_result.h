// A PSBT that a command has made: to a file or stdout, and as JSON.
#pragma once

#include "cli/error.h"
#include "cli/options/options.h"
#include "wallet/spend/psbt.h"

namespace spv::cli {

ExitCode write_result(const CommonOptions& common, const std::string& out, const wallet::spend::Psbt& psbt);

}  // namespace spv::cli
