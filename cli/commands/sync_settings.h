// The options of `spv sync` as the settings of the library, which has one set of them and of their defaults.
#pragma once

#include <spv/client.h>

#include "cli/options/options.h"

namespace spv::cli {

/// Throws UsageError for an address that is none.
Options settings_of(const CommonOptions& common, const SyncOptions& options);

}  // namespace spv::cli
