// InputLines: the lines of an open file, one after the other, with a bound on their length and so on the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spv::cli {

class InputLines {
 public:
  /// Reads from `fd`, which stays open; `longest` counts without the line end.
  InputLines(int fd, std::size_t longest) : fd_(fd), longest_(longest) {}
  /// The next line without its end (LF or CRLF), valid until the next call; none at the end. Throws UsageError for a
  /// longer line and CommandError where reading fails.
  std::optional<std::string_view> next();
  /// Of the line that next() gave last, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  /// Moves what is left to the front and reads on; false at the end.
  bool read_more();
  [[nodiscard]] std::string_view checked(std::string_view line) const;

  int fd_;
  std::size_t longest_;
  std::uint64_t number_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;  // where the next line begins
};

}  // namespace spv::cli
