#include "client/errors.h"

#include <exception>
#include <new>

namespace spv::client {

ErrorCode code_of(store::StoreError::Kind kind) {
  using Kind = store::StoreError::Kind;
  switch (kind) {
    case Kind::Missing:
    case Kind::Moved:
      return ErrorCode::NotFound;
    case Kind::Exists:
      return ErrorCode::Exists;
    case Kind::Locked:
      return ErrorCode::Locked;
    case Kind::Corrupt:
    case Kind::NewerSchema:
    case Kind::NotAWallet:
      return ErrorCode::Damaged;
    case Kind::WrongNetwork:
      return ErrorCode::WrongNetwork;
    case Kind::Io:
    case Kind::Full:
    case Kind::ReadOnly:
    case Kind::Unreachable:
    case Kind::BadLogin:
    case Kind::NoDatabase:
    case Kind::NotAllowed:
    case Kind::Retry:
    case Kind::Constraint:
    case Kind::Fenced:
    case Kind::Database:
      return ErrorCode::Storage;
  }
  return ErrorCode::Internal;
}

Error current_error() {
  try {
    throw;
  } catch (const store::StoreError& error) {
    return {code_of(error.kind()), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::Storage, "out of memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::Storage, error.what()};
  } catch (...) {
    return {ErrorCode::Internal, "unknown exception"};
  }
}

}  // namespace spv::client
