#include "cli/wallet/ask_secret.h"

#include <cerrno>
#include <fcntl.h>
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

/// The terminal without echo; the destructor restores it. Keyboard signals arrive as characters, so that none can end
/// the process and leave the terminal mute.
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
  /// The next character; Ctrl-D at the end.
  [[nodiscard]] char read() const {
    char c = kCtrlD;
    while (::read(fd_, &c, 1) < 0 && errno == EINTR) {
    }
    return c;
  }

 private:
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
    if (c == kCtrlC || (c == kCtrlD && answer.empty())) {
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
