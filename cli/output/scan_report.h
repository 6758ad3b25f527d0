// How far a wallet is scanned and how many peers vouch for it, in words; report/scan.h has it for programs.
#pragma once

#include <string>

#include "report/scan.h"

namespace spv::cli {

/// "incomplete: 3,210 of 4,108 blocks scanned; run spv sync to continue", "nothing scanned yet; run spv sync", that the
/// birthday is above the tip, in the words of the sync, or nothing to say.
std::string incomplete_text(const report::Scanned& scanned, const report::ScanProgress& progress);

/// How many scanned blocks were answered by one peer, how many by two, and how many came whole.
std::string attested_text(const report::Scanned& scanned);

/// "as of block 102 (2026-11-16 02:28), reported by 2 peers"
std::string standing_text(const report::Scanned& scanned);

}  // namespace spv::cli
