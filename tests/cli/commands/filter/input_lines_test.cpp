#include "cli/commands/filter/input_lines.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

/// A file in memory that holds the text.
class Input {
 public:
  explicit Input(const std::string& text) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    EXPECT_EQ(::write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(::lseek(fd_, 0, SEEK_SET), 0);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() { ::close(fd_); }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

std::vector<std::string> lines_of(const std::string& text, std::size_t longest = 10) {
  const Input input(text);
  InputLines lines(input.fd(), longest);
  std::vector<std::string> out;
  while (const auto line = lines.next()) out.emplace_back(*line);
  return out;
}

using Lines = std::vector<std::string>;

TEST(InputLines, GiveEachLineWithoutItsEnd) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("a\nbc\n"), (Lines{"a", "bc"}));
  EXPECT_EQ(lines_of("a\r\nbc"), (Lines{"a", "bc"}));
  EXPECT_EQ(lines_of("\n\nx\n"), (Lines{"", "", "x"}));
}

TEST(InputLines, RefuseALineThatIsTooLong) {
  EXPECT_EQ(lines_of("0123456789\r\n").size(), 1U);
  const Input input("ok\n0123456789a\n");
  InputLines lines(input.fd(), 10);
  EXPECT_TRUE(lines.next());
  try {
    lines.next();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "line 2 is longer than 10 characters");
  }
}

TEST(InputLines, ALineMayLieAcrossTwoReads) {
  std::string text;
  Lines expected;
  for (int i = 0; i < 60'000; ++i) {  // many times what is read at once
    expected.push_back("line" + std::to_string(i));
    text += expected.back() + "\n";
  }
  EXPECT_TRUE(lines_of(text) == expected);
}

}  // namespace
}  // namespace spv::cli
