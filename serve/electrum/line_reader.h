// LineReader: cuts a stream of bytes into lines, within a limit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spv::serve::electrum {

class LineReader {
 public:
  /// Lines are at most `most` bytes long.
  explicit LineReader(std::size_t most) : most_(most) {}

  /// False if a line is too long: nothing more can be read then.
  [[nodiscard]] bool add(std::string_view bytes);
  /// The next whole line without its end, valid until the next add().
  [[nodiscard]] std::optional<std::string_view> next();
  /// Whether next() has one.
  [[nodiscard]] bool has_line() const { return end_ != std::string::npos; }
  /// What it holds.
  [[nodiscard]] std::size_t size() const { return buffer_.size() - begin_; }

 private:
  void find_end();

  std::size_t most_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the next line
  std::size_t scanned_ = 0;  // no line ends between begin_ and here
  std::size_t end_ = std::string::npos;
};

}  // namespace spv::serve::electrum
