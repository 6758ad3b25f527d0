// ScriptSet: the scripts that are looked for in filters. Built once, used for every block.
//
// Scripts of one of the usual lengths lie one behind the other without anything between them, so ten million of 22
// bytes take 220 MB, and are hashed in loops that know the length.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "util/bytes.h"

namespace spv::bip158 {

class ScriptSet {
 public:
  /// P2WPKH; P2SH; P2PKH; P2WSH and P2TR.
  static constexpr std::array<std::size_t, 4> kLengths{22, 23, 25, 34};

  /// An empty script is left out: no filter holds it. One that is added twice is only looked for twice.
  void add(util::ByteView script);
  /// Makes room for so many scripts of one length.
  void reserve(std::size_t length, std::size_t count);
  /// Keeps the memory.
  void clear();

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// By an index that counts the usual lengths first, shortest first; in the order of their addition within a length.
  /// Whatever is added moves the indexes.
  [[nodiscard]] util::ByteView operator[](std::size_t index) const;

  /// The scripts of kLengths[n], one behind the other.
  [[nodiscard]] util::ByteView of_usual_length(std::size_t n) const { return usual_[n]; }
  [[nodiscard]] std::size_t others() const { return ends_.size(); }
  /// A script of another length.
  [[nodiscard]] util::ByteView other(std::size_t n) const;

 private:
  std::array<util::Bytes, kLengths.size()> usual_;
  util::Bytes others_;
  std::vector<std::size_t> ends_;  // of each script in others_
};

}  // namespace spv::bip158
