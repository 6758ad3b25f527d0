#include "store/store_error.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace spv::store {

namespace {

struct KindName {
  StoreError::Kind kind;
  std::string_view name;
};
using Kind = StoreError::Kind;
constexpr std::array kKindNames{
    KindName{Kind::Missing, "missing"},
    KindName{Kind::Moved, "moved"},
    KindName{Kind::Exists, "exists"},
    KindName{Kind::Locked, "locked"},
    KindName{Kind::Corrupt, "corrupt"},
    KindName{Kind::NewerSchema, "newer schema"},
    KindName{Kind::NotAWallet, "not a wallet"},
    KindName{Kind::WrongNetwork, "wrong network"},
    KindName{Kind::Io, "i/o error"},
    KindName{Kind::Full, "disk full"},
    KindName{Kind::ReadOnly, "read-only"},
    KindName{Kind::Unreachable, "database unreachable"},
    KindName{Kind::BadLogin, "login refused"},
    KindName{Kind::NoDatabase, "no such database"},
    KindName{Kind::NotAllowed, "not allowed"},
    KindName{Kind::Retry, "try again"},
    KindName{Kind::Constraint, "constraint violated"},
    KindName{Kind::Fenced, "shard lost"},
    KindName{Kind::Database, "database error"},
};

}  // namespace

std::string_view to_string(StoreError::Kind kind) {
  for (const KindName& entry : kKindNames) {
    if (entry.kind == kind) return entry.name;
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
