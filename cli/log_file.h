// Where log lines go: stderr or a file of ours, never stdout.
#pragma once

#include "cli/options.h"
#include "util/log.h"

namespace spv::cli {

/// Throws CommandError if the file cannot be opened.
util::LogSink open_log(const CommonOptions& common);

}  // namespace spv::cli
