// ScriptList: scripts one after the other in one piece of memory. A wallet watches hundreds, a service tens of
// millions, and nearly always all of a key chain have one length.
#pragma once

#include <cstdint>
#include <vector>

#include "util/bytes.h"

namespace spv::wallet {

class ScriptList {
 public:
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Valid until the list changes.
  [[nodiscard]] util::ByteView operator[](std::size_t place) const;
  void push_back(util::ByteView script);
  void append(const ScriptList& others);
  /// Makes room for so many in all, if they are as long as those that are there.
  void reserve(std::size_t count);
  /// Gives back the room that is not used.
  void shrink() { bytes_.shrink_to_fit(); }
  /// Drops all but the first so many.
  void truncate(std::size_t count);
  /// Those from a place on.
  [[nodiscard]] ScriptList from(std::size_t place) const;

  /// As it is stored: each script behind its length (CompactSize).
  [[nodiscard]] util::Bytes encode() const;
  /// Adds what encode() gave. False, and nothing is added, for anything else and for more than `most` scripts.
  [[nodiscard]] bool append_encoded(util::ByteView bytes, std::size_t most);

  friend bool operator==(const ScriptList& a, const ScriptList& b);

 private:
  [[nodiscard]] std::size_t begin_of(std::size_t place) const;
  [[nodiscard]] bool is_even() const { return ends_.empty(); }

  util::Bytes bytes_;
  std::vector<std::size_t> ends_;  // of each script; empty while all have the length of the first
  std::uint32_t length_ = 0;       // of the first
  std::uint32_t count_ = 0;
};

/// Consecutive scripts of one key chain. One that is empty stands for an index without key.
struct ChainScripts {
  std::size_t chain = 0;
  std::uint32_t first = 0;  // index of the first
  ScriptList scripts;
  friend bool operator==(const ChainScripts&, const ChainScripts&) = default;
};

}  // namespace spv::wallet
