#include "cli/wallet/ask_secret.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxAnswer = 4096;
constexpr char kCtrlC = 3;
constexpr char kCtrlD = 4;
constexpr char kBackspace = 8;
constexpr char kCtrlU = 21;
constexpr char kDelete = 127;

/// The signal that came; 0: none.
volatile std::sig_atomic_t caught_signal = 0;

/// Signals that would end the process and leave the terminal mute wait until wait() looks for them.
class HeldSignals {
 public:
  HeldSignals() {
    caught_signal = 0;
    sigset_t held{};
    ::sigemptyset(&held);
    struct sigaction note {};
    note.sa_handler = [](int signal) { caught_signal = signal; };
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;  // as nohup wants it
      ::sigaddset(&held, kSignals[i]);
      ::sigaction(kSignals[i], &note, nullptr);
    }
    ::pthread_sigmask(SIG_BLOCK, &held, &mask_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

  /// Until there is something to read; throws CommandError if one of the signals comes first.
  void wait(int fd) const {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    while (caught_signal == 0 && ::ppoll(&ready, 1, nullptr, &mask_) < 0 && errno == EINTR) {
    }
    if (caught_signal == 0) return;
    const ExitCode code = caught_signal == SIGTERM  ? ExitCode::Terminated
                          : caught_signal == SIGHUP ? ExitCode::HungUp
                                                    : ExitCode::Interrupted;
    throw CommandError(code, "interrupted", "interrupted; nothing is changed");
  }

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
  sigset_t mask_{};
};

/// The terminal without echo; the destructor restores it. Keyboard signals arrive as characters.
class MuteTerminal {
 public:
  explicit MuteTerminal(const char* without_terminal) : fd_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
    if (fd_ >= 0 && ::tcgetattr(fd_, &before_) == 0) {
      termios mute = before_;
      mute.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG);
      mute.c_cc[VMIN] = 1;
      mute.c_cc[VTIME] = 0;
      if (::tcsetattr(fd_, TCSAFLUSH, &mute) == 0) return;
    }
    if (fd_ >= 0) ::close(fd_);
    throw UsageError(without_terminal);
  }
  MuteTerminal(const MuteTerminal&) = delete;
  MuteTerminal& operator=(const MuteTerminal&) = delete;
  ~MuteTerminal() {
    ::tcsetattr(fd_, TCSAFLUSH, &before_);
    ::close(fd_);
  }

  void write(std::string_view text) const {
    static_cast<void>(::write(fd_, text.data(), text.size()) == 0);  // a question that is not seen is still answered
  }
  /// The next character; Ctrl-D at the end. Throws CommandError for a signal.
  [[nodiscard]] char read() const {
    signals_.wait(fd_);
    char c = kCtrlD;
    while (::read(fd_, &c, 1) < 0 && errno == EINTR) {
    }
    return c;
  }

 private:
  HeldSignals signals_;  // the last to go: nothing may end the process before the terminal is restored
  int fd_;
  termios before_{};
};

// One character of UTF-8 is one press of the key.
void erase_last(util::SecretBytes& text) {
  while (!text.empty() && (text.back() & 0xC0U) == 0x80U) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

util::SecretBytes ask_secret(std::string_view question, const char* without_terminal) {
  const MuteTerminal terminal(without_terminal);
  terminal.write(question);
  util::SecretBytes answer;
  answer.reserve(kMaxAnswer);
  for (;;) {
    const char c = terminal.read();
    if (c == '\n' || c == '\r') break;
    if (c == kCtrlC) {
      terminal.write("\n");
      throw CommandError(ExitCode::Interrupted, "interrupted", "interrupted; nothing is changed");
    }
    if (c == kCtrlD && answer.empty()) {
      terminal.write("\n");
      throw CommandError(ExitCode::Failed, "cancelled", "cancelled; nothing is changed");
    }
    if (c == kDelete || c == kBackspace) {
      erase_last(answer);
    } else if (c == kCtrlU) {
      answer.clear();
    } else if (c != kCtrlD && answer.size() < kMaxAnswer) {
      answer.push_back(static_cast<std::uint8_t>(c));
    }
  }
  terminal.write("\n");
  return answer;
}

}  // namespace spv::cli
