#include "serve/electrum/line_reader.h"

namespace spv::serve::electrum {
namespace {

/// A buffer that was large once is given back when it is empty.
constexpr std::size_t kKeptRoom = 16'384;

}  // namespace

bool LineReader::add(std::string_view bytes) {
  if (begin_ == buffer_.size()) {
    if (buffer_.capacity() > kKeptRoom) buffer_ = std::string();
    buffer_.clear();
  } else {
    buffer_.erase(0, begin_);
  }
  scanned_ -= begin_;
  if (end_ != std::string::npos) end_ -= begin_;
  begin_ = 0;
  buffer_ += bytes;
  if (end_ == std::string::npos) find_end();
  const std::size_t length = end_ == std::string::npos ? buffer_.size() : end_;
  return length <= most_;
}

std::optional<std::string_view> LineReader::next() {
  if (end_ == std::string::npos) return std::nullopt;
  std::string_view line(buffer_.data() + begin_, end_ - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = scanned_ = end_ + 1;
  find_end();
  return line;
}

void LineReader::find_end() {
  end_ = buffer_.find('\n', scanned_);
  scanned_ = end_ == std::string::npos ? buffer_.size() : end_;
}

}  // namespace spv::serve::electrum
