// Errors that end a command: one line for people, a code for programs, the exit code of the contract.
#pragma once

#include <stdexcept>
#include <string>

namespace spv::cli {

/// The exit codes of the command.
enum class ExitCode : int {
  Done = 0,
  Failed = 1,
  Usage = 2,
  Network = 3,
  Wallet = 4,
  HungUp = 129,       // by SIGHUP, as a shell has it
  Interrupted = 130,  // by SIGINT
  Terminated = 143,   // by SIGTERM
};

class CommandError : public std::runtime_error {
 public:
  /// `code` is a short name for programs, such as "no-peers".
  CommandError(ExitCode exit_code, std::string code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code), code_(std::move(code)) {}
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  ExitCode exit_code_;
  std::string code_;
};

class UsageError : public CommandError {
 public:
  explicit UsageError(const std::string& message) : CommandError(ExitCode::Usage, "usage", message) {}
};

}  // namespace spv::cli
