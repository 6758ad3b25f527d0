#include "p2p/receive_buffer.h"

#include <algorithm>
#include <cstring>

#include "util/ensure.h"

namespace spv::p2p {
namespace {

// An empty buffer larger than this is given back after a message that did not need it: a stream of large ones uses it
// again, but one large message must not cost memory for ever.
constexpr std::size_t kKeepBytes = 262'144;

}  // namespace

void ReceiveBuffer::append(util::ByteView bytes) {
  if (bytes.empty()) return;
  std::memcpy(prepare(bytes.size()).data(), bytes.data(), bytes.size());
  commit(bytes.size());
}

std::span<std::uint8_t> ReceiveBuffer::prepare(std::size_t size) {
  if (begin_ == end_) reclaim();
  if (storage_.size() - end_ < size && begin_ > 0) {
    std::memmove(storage_.data(), storage_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // resize() grows by doubling, so a long message that trickles in is copied a constant number of times.
  if (storage_.size() - end_ < size) storage_.resize(end_ + size);
  return std::span(storage_).subspan(end_, size);
}

void ReceiveBuffer::commit(std::size_t size) {
  util::ensure(size <= storage_.size() - end_, "more committed than prepared");
  end_ += size;
}

void ReceiveBuffer::drop(std::size_t size) {
  util::ensure(size <= end_ - begin_, "more dropped than received");
  begin_ += size;
  last_drop_ = size;
}

void ReceiveBuffer::reclaim() {
  begin_ = end_ = 0;
  if (storage_.size() > kKeepBytes && last_drop_ <= kKeepBytes) storage_ = util::Bytes();
}

}  // namespace spv::p2p
