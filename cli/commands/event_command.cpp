#include "cli/commands/event_command.h"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/event_report.h"
#include "cli/output/text.h"
#include "report/json_text.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace spv::cli {
namespace {

void say(const std::string& text) {
  std::fflush(stdout);
  fmt::print(stderr, "warning: {}\n", text);
}

/// Our environment with these set, as execve takes it. The strings outlive it.
class ChildEnvironment {
 public:
  explicit ChildEnvironment(std::vector<std::string> settings) : settings_(std::move(settings)) {
    for (char** each = environ; *each != nullptr; ++each) {
      if (!is_set(*each)) pointers_.push_back(*each);
    }
    for (auto& setting : settings_) pointers_.push_back(setting.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char* const* data() const { return pointers_.data(); }

 private:
  [[nodiscard]] bool is_set(std::string_view entry) const {
    for (const auto& setting : settings_) {
      if (entry.starts_with(std::string_view(setting).substr(0, setting.find('=') + 1))) return true;
    }
    return false;
  }
  std::vector<std::string> settings_;
  std::vector<char*> pointers_;
};

// Sockets, wallet and log are ours alone. Only what a signal handler may do is done here: other threads may have held
// locks when we forked.
void close_others() {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
#endif
  constexpr int kMost = 65'536;
  for (int fd = 3; fd < kMost; ++fd) ::close(fd);
}

/// In the child: never comes back. A group of its own, so that Ctrl-C ends the sync and not the command half-way.
[[noreturn]] void become(const char* command, int input, char* const* environment, const sigset_t& mask) {
  constexpr int kCannotRun = 127;
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  ::dup2(input, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  close_others();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  const std::array<const char*, 4> arguments{"sh", "-c", command, nullptr};
  // execve does not change them.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  ::execve("/bin/sh", const_cast<char* const*>(arguments.data()), environment);
  ::_exit(kCannotRun);
}

/// A pipe that holds the text, ready to be read; -1 where there is none. An event is far smaller than a pipe.
int filled_pipe(const std::string& text) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  const auto written = ::write(ends[1], text.data(), text.size());
  ::close(ends[1]);
  if (written == static_cast<ssize_t>(text.size())) {
    ::fcntl(ends[0], F_SETFL, 0);  // the command's stdin blocks as usual
    return ends[0];
  }
  ::close(ends[0]);
  return -1;
}

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

struct PendingEvent {
  std::string document;  // a line of JSON
  std::string kind;
  std::string txid;  // empty where the event has none
};

/// Nothing for an event that is not for the user.
std::optional<PendingEvent> pending_of(const client::SyncEvent& event) {
  const auto document = event_json(event);
  if (document.empty()) return std::nullopt;
  const auto text_at = [&](const char* name) {
    const auto* found = document.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
  };
  return PendingEvent{to_utf8(report::json_text(document)) + "\n", text_at("event"), text_at("txid")};
}

/// The process; nothing, and a word about it, if it cannot be started.
std::optional<pid_t> start(const std::string& command, const std::string& wallet, const PendingEvent& event) {
  const ChildEnvironment environment({"SPV_EVENT=" + event.kind, "SPV_TXID=" + event.txid, "SPV_WALLET=" + wallet});
  const int input = filled_pipe(event.document);
  int error = errno;
  pid_t child = -1;
  if (input >= 0) {
    sigset_t all{};
    sigset_t before{};
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // a signal for us must not reach our handlers in the child
    child = ::fork();
    if (child == 0) become(command.c_str(), input, environment.data(), before);
    error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(input);
  }
  if (child > 0) return child;
  say(fmt::format("cannot run --exec for event {}: {}", event.kind, std::strerror(error)));
  return std::nullopt;
}

void wait_for(pid_t child, const PendingEvent& event) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended > 0 && status != 0) say(fmt::format("--exec {} (event {})", ending_text(status), event.kind));
}

}  // namespace

struct EventCommand::Queue {
  const std::string command;
  const std::string wallet;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<PendingEvent> waiting;
  std::optional<pid_t> child;
  bool busy = false;     // an event is being handed over
  bool closing = false;  // no more come
  bool lost_any = false;

  Queue(std::string what, std::string whose) : command(std::move(what)), wallet(std::move(whose)) {}
  [[nodiscard]] bool idle() const { return waiting.empty() && !busy; }

  /// The thread's work: until nothing is left and nothing more comes.
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return closing || !waiting.empty(); });
      if (waiting.empty()) return;
      const PendingEvent event = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      const auto started = start(command, wallet, event);
      lock.lock();
      child = started;
      lock.unlock();
      if (started) wait_for(*started, event);
      lock.lock();
      child.reset();
      busy = false;
      changed.notify_all();
    }
  }
};

EventCommand::EventCommand(std::string command, std::string wallet)
    : queue_(std::make_shared<Queue>(std::move(command), std::move(wallet))),
      worker_([queue = queue_] { queue->work(); }) {}

EventCommand::~EventCommand() { finish(); }

void EventCommand::push(const client::SyncEvent& event) {
  auto pending = pending_of(event);
  if (!pending) return;
  const std::scoped_lock lock(queue_->mutex);
  if (queue_->waiting.size() >= kMaxWaiting) {
    if (!std::exchange(queue_->lost_any, true)) say("--exec is too slow: events are lost from now on");
    return;
  }
  queue_->waiting.push_back(std::move(*pending));
  queue_->changed.notify_all();
}

void EventCommand::finish(std::chrono::milliseconds limit) {
  if (!worker_.joinable()) return;
  std::unique_lock lock(queue_->mutex);
  queue_->closing = true;
  queue_->changed.notify_all();
  const bool done = queue_->changed.wait_for(lock, limit, [this] { return queue_->idle(); });
  if (const auto left = queue_->waiting.size(); left > 0) {
    say("--exec was not run for the last " + (left == 1 ? std::string("event") : fmt::format("{} events", left)));
  }
  if (queue_->child) say(fmt::format("--exec is still running (process {})", *queue_->child));
  queue_->waiting.clear();
  lock.unlock();
  if (done) {
    worker_.join();
  } else {
    worker_.detach();
  }
}

}  // namespace spv::cli
