// CompactSize: what is read is what the bytes say by the table of the protocol, in its one shortest form (R3), and a
// count never promises more than is there (R2).
#include <algorithm>
#include <optional>

#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;

struct Reading {
  std::uint64_t value = 0;
  std::size_t size = 0;
};

std::optional<Reading> by_the_table(util::ByteView bytes) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t width = bytes[0] < 0xFD ? 0 : bytes[0] == 0xFD ? 2 : bytes[0] == 0xFE ? 4 : 8;
  if (bytes.size() < 1 + width) return std::nullopt;
  std::uint64_t value = width == 0 ? bytes[0] : 0;
  for (std::size_t i = width; i > 0; --i) value = value * 256 + bytes[i];
  const std::uint64_t least = width == 2 ? 0xFD : width == 4 ? 0x1'0000 : width == 8 ? 0x1'0000'0000 : 0;
  if (value < least) return std::nullopt;
  return Reading{value, 1 + width};
}

}  // namespace

SPV_FUZZ_TARGET(compact_size, input) {
  util::ByteView rest = input;
  while (!rest.empty()) {
    const auto expected = by_the_table(rest);
    util::Reader in(rest);
    const std::uint64_t value = in.compact_size();
    util::ensure(in.ok() == expected.has_value(), "another verdict than the table's");

    util::Reader counted(rest);
    const std::size_t item = 1 + rest[0] % 41;
    const std::size_t count = counted.count(item);
    if (counted.ok()) util::ensure(count <= counted.remaining() / item, "more items than can be there");
    util::Reader piece(rest);
    const auto view = piece.var_view(300);
    util::ensure(view.size() <= 300 && view.size() <= rest.size(), "more bytes than allowed or there");
    util::ensure(!piece.ok() || (expected && view.size() == expected->value), "another length");

    if (!expected) return;
    util::ensure(value == expected->value && in.position() == expected->size, "another number than the table's");
    util::ensure(counted.ok() == (value <= (rest.size() - expected->size) / item), "a count that fits is refused");
    const auto written = util::Writer().compact_size(value).take();
    util::ensure(std::equal(written.begin(), written.end(), rest.begin()), "two forms of one number");
    util::ensure(written.size() == expected->size && util::compact_size_length(value) == expected->size, "its length");
    rest = rest.subspan(expected->size);
  }
}
