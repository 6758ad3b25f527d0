#include "store/store_error.h"

#include <cerrno>
#include <system_error>

namespace spv::store {

std::string_view to_string(StoreError::Kind kind) {
  switch (kind) {
    case StoreError::Kind::Missing:
      return "missing";
    case StoreError::Kind::Moved:
      return "moved";
    case StoreError::Kind::Exists:
      return "exists";
    case StoreError::Kind::Locked:
      return "locked";
    case StoreError::Kind::Corrupt:
      return "corrupt";
    case StoreError::Kind::NewerSchema:
      return "newer schema";
    case StoreError::Kind::NotAWallet:
      return "not a wallet";
    case StoreError::Kind::WrongNetwork:
      return "wrong network";
    case StoreError::Kind::Io:
      return "i/o error";
    case StoreError::Kind::Full:
      return "disk full";
    case StoreError::Kind::ReadOnly:
      return "read-only";
  }
  return "unknown";
}

StoreError StoreError::from_errno(int error, std::string_view what, const std::string& path) {
  const std::string message =
      "cannot " + std::string(what) + " " + path + ": " + std::generic_category().message(error);
  switch (error) {
    case ENOENT:
      return {Kind::Missing, message};
    case ENOSPC:
    case EDQUOT:
      return {Kind::Full, message + "; free some space and try again"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {Kind::ReadOnly, message + "; check who owns it and its mode"};
    case ELOOP:
      return {Kind::Io, message + "; a symbolic link is not followed here"};
    default:
      return {Kind::Io, message};
  }
}

}  // namespace spv::store
