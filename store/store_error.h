// StoreError: what went wrong with a wallet file or the database, in one line that says what to do. Thrown only in the
// shell.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spv::store {

class StoreError : public std::runtime_error {
 public:
  enum class Kind {
    Missing,       // no such wallet
    Moved,         // renamed or deleted by another process while this one was about to change it
    Exists,        // a new wallet would overwrite a file
    Locked,        // another process writes it
    Corrupt,       // a wallet, but damaged
    NewerSchema,   // made by a newer version of this program
    NotAWallet,    // some other file
    WrongNetwork,  // a wallet of another network
    Io,            // the disk or the system failed
    Full,          // no space left
    ReadOnly,      // no right to write here
    // Of a database server.
    Unreachable,  // the server is away, or went away: what was being committed may or may not be there
    BadLogin,     // wrong user or password
    NoDatabase,   // the server has no database of this name
    NotAllowed,   // the user lacks a right
    Retry,        // another transaction was in the way: the same again will do
    Constraint,   // a row that must not be: a name taken, a parent missing
    Fenced,       // the shard belongs to another worker by now
    Database,     // anything else that the server refuses
  };
  StoreError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

  /// From an errno of a file operation: "cannot <what> <path>: <reason>".
  static StoreError from_errno(int error, std::string_view what, const std::string& path);

 private:
  Kind kind_;
};
std::string_view to_string(StoreError::Kind kind);

}  // namespace spv::store
