#include "tests/support/process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "util/ensure.h"

namespace spv::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    util::ensure(pipe2(ends.data(), O_CLOEXEC) == 0, "cannot make a pipe");
    read = ends[0];
    write = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> merged_environment(const Environment& extra) {
  std::vector<std::string> out;
  for (const auto& [name, value] : extra) out.push_back(name + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& pair : extra) replaced = replaced || pair.first == name;
    if (!replaced) out.push_back(text);
  }
  return out;
}

// Everything is allocated before the fork: after it only async-signal-safe calls are allowed.
pid_t spawn(std::vector<std::string> command, const Environment& environment, int in, int out, int err) {
  util::ensure(!command.empty(), "a command needs a name");
  auto variables = merged_environment(environment);
  const auto argv = pointers(command);
  const auto envp = pointers(variables);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  util::ensure(pid >= 0, "cannot fork");
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvpe(argv[0], argv.data(), envp.data());
  _exit(127);
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::optional<int> wait_until(pid_t pid, Clock::time_point deadline) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return exit_code_of(status);
    util::ensure(ended == 0 || errno == EINTR, "cannot wait for a child");
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

int kill_and_wait(pid_t pid) {
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

void feed(int& end, std::string_view& input) {
  const ssize_t written = write(end, input.data(), input.size());
  if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
  const bool gone = written < 0 && errno != EAGAIN && errno != EINTR;
  if (input.empty() || gone) Pipe::close_end(end);
}

void drain(int& end, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(end, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) Pipe::close_end(end);
}

// Moves bytes until both outputs are closed; false if the time ran out first.
bool converse(Pipe& in, Pipe& out, Pipe& err, std::string_view input, Clock::time_point deadline,
              ProcessResult& result) {
  if (input.empty()) Pipe::close_end(in.write);
  while (out.read >= 0 || err.read >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> ends{{{in.write, POLLOUT, 0}, {out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
    if (poll(ends.data(), ends.size(), static_cast<int>(left)) <= 0) continue;
    if (ends[0].revents != 0) feed(in.write, input);
    if (ends[1].revents != 0) drain(out.read, result.out);
    if (ends[2].revents != 0) drain(err.read, result.err);
  }
  return true;
}

}  // namespace

ProcessResult run(const std::vector<std::string>& command, const ProcessOptions& options) {
  const auto deadline = Clock::now() + options.timeout;
  // A child that ends without reading its input must not end us.
  signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe err;
  const pid_t pid = spawn(command, options.environment, in.read, out.write, err.write);
  Pipe::close_end(in.read);
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  ProcessResult result;
  const bool finished = converse(in, out, err, options.input, deadline, result);
  const auto exit_code = finished ? wait_until(pid, deadline) : std::nullopt;
  result.timed_out = !exit_code.has_value();
  result.exit_code = exit_code ? *exit_code : kill_and_wait(pid);
  return result;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& output_file,
                           const Environment& environment) {
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  util::ensure(in >= 0 && out >= 0, "cannot open the output file of a child");
  pid_ = spawn(command, environment, in, out, out);
  close(in);
  close(out);
}

ChildProcess::~ChildProcess() {
  if (!exit_code_) kill_and_wait(pid_);
}

void ChildProcess::signal(int number) {
  if (running()) kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds timeout) {
  if (!exit_code_) exit_code_ = wait_until(pid_, Clock::now() + timeout);
  return exit_code_;
}

}  // namespace spv::test
