// What the parts below throw or say, as the errors of the library.
#pragma once

#include <functional>
#include <spv/result.h>

#include "store/store_error.h"

namespace spv::client {

ErrorCode code_of(store::StoreError::Kind kind);
/// The error that is being handled, for a catch clause.
Error current_error();

/// Calls it; what it throws becomes an error.
template <typename T>
Result<T> guarded(const std::function<Result<T>()>& call) {
  try {
    return call();
  } catch (...) {
    return current_error();
  }
}

}  // namespace spv::client
