#include "chain/header_error.h"

namespace spv::chain {

std::string_view to_string(HeaderError error) {
  switch (error) {
    case HeaderError::Empty:
      return "no headers";
    case HeaderError::NotContinuous:
      return "headers are not continuous";
    case HeaderError::Unconnected:
      return "headers do not connect to the chain";
    case HeaderError::BadProofOfWork:
      return "header without valid proof of work";
    case HeaderError::BadDifficulty:
      return "header with wrong difficulty bits";
    case HeaderError::TimeTooOld:
      return "header not after the median time past";
    case HeaderError::TimeWarp:
      return "first header of a difficulty period is too far before its predecessor";
    case HeaderError::TimeTooNew:
      return "header more than two hours in the future";
    case HeaderError::BadVersion:
      return "header with an obsolete version";
    case HeaderError::CheckpointMismatch:
      return "header contradicts a checkpoint";
    case HeaderError::BelowCheckpoint:
      return "branch forks below the last checkpoint";
    case HeaderError::TooLittleWork:
      return "too many headers with little work";
  }
  return "unknown header error";
}

}  // namespace spv::chain
