// Child processes: run a program to its end and look at what it said, or keep one in the background.
// No child outlives the test program, not even one that crashes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace spv::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What a program left behind.
struct ProcessResult {
  int exit_code = -1;  ///< As the shell has it: 128 + signal if a signal ended it.
  std::string out;
  std::string err;
  bool timed_out = false;  ///< It was killed after the time-out.
};

struct ProcessOptions {
  std::string input{};        ///< Fed to stdin, which is then closed.
  Environment environment{};  ///< Set on top of the test program's own.
#ifdef __SANITIZE_THREAD__    // which takes ten times as long as none
  std::chrono::milliseconds timeout{300'000};
#else
  std::chrono::milliseconds timeout{60'000};
#endif
};

/// Runs a program (looked up in PATH) with its arguments until it ends or the time is up.
ProcessResult run(const std::vector<std::string>& command, const ProcessOptions& options = {});

/// A program that runs in the background; killed at the latest with the object.
class ChildProcess {
 public:
  /// Starts it with stdin empty, stdout and stderr written to `output_file`.
  ChildProcess(const std::vector<std::string>& command, const std::string& output_file,
               const Environment& environment = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] bool running() { return !wait(std::chrono::milliseconds(0)); }
  /// Sends a signal, unless it has ended already.
  void signal(int number);
  /// The exit code once it has ended, 128 + signal if a signal ended it; nullopt if it still runs after `timeout`.
  std::optional<int> wait(std::chrono::milliseconds timeout);

 private:
  pid_t pid_;
  std::optional<int> exit_code_;
};

}  // namespace spv::test
