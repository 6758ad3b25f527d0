// The bytes of a stream between socket and parser: filled at the end, taken from the front, neither quadratic.
#pragma once

#include <span>

#include "util/bytes.h"

namespace spv::p2p {

class ReceiveBuffer {
 public:
  void append(util::ByteView bytes);
  /// Room for `size` bytes behind those that are here; void after any other call.
  std::span<std::uint8_t> prepare(std::size_t size);
  /// The first `size` bytes of the room are filled now.
  void commit(std::size_t size);
  /// What came and was not dropped yet.
  [[nodiscard]] util::ByteView view() const { return util::ByteView(storage_).subspan(begin_, end_ - begin_); }
  /// The same, to decrypt in place.
  [[nodiscard]] std::span<std::uint8_t> mutable_view() { return std::span(storage_).subspan(begin_, end_ - begin_); }
  /// Forgets the first `size` bytes. They stay where they are until room is prepared.
  void drop(std::size_t size);

 private:
  void reclaim();

  util::Bytes storage_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t last_drop_ = 0;
};

}  // namespace spv::p2p
