// HeaderError: why a header was not taken.
#pragma once

#include <string_view>

namespace spv::chain {

/// Why a header was not taken.
enum class HeaderError {
  Empty,
  NotContinuous,   // a header does not follow the one before it in the batch
  Unconnected,     // the first header's parent is unknown
  BadProofOfWork,  // hash above target, or a target that is zero, negative, overflowing or above the limit
  BadDifficulty,   // bits are not what the rules require here
  TimeTooOld,      // at or below the median of the eleven before
  TimeWarp,        // BIP94: a period's first block too far before its predecessor
  TimeTooNew,      // over two hours into the future: not a fault, try again later
  BadVersion,      // obsolete version after BIP34/66/65
  CheckpointMismatch,
  BelowCheckpoint,  // a branch that forks below the last checkpoint passed
  TooLittleWork,    // branch after branch, or one without end, that never comes to the best chain's work
};
std::string_view to_string(HeaderError error);

}  // namespace spv::chain
