#include "util/codec.h"

namespace spv::util {

Writer& Writer::compact_size(std::uint64_t value) {
  if (value < 0xFD) return integer(static_cast<std::uint8_t>(value));
  if (value <= 0xFFFF) return integer(std::uint8_t{0xFD}).integer(static_cast<std::uint16_t>(value));
  if (value <= 0xFFFF'FFFF) return integer(std::uint8_t{0xFE}).integer(static_cast<std::uint32_t>(value));
  return integer(std::uint8_t{0xFF}).integer(value);
}

Writer& Writer::big_endian16(std::uint16_t value) {
  out_.push_back(static_cast<std::uint8_t>(value >> 8U));
  out_.push_back(static_cast<std::uint8_t>(value & 0xFFU));
  return *this;
}

std::uint64_t Reader::compact_size() {
  const auto first = integer<std::uint8_t>();
  if (first < 0xFD) return first;
  std::uint64_t value = 0;
  std::uint64_t smallest = 0;
  if (first == 0xFD) {
    value = integer<std::uint16_t>();
    smallest = 0xFD;
  } else if (first == 0xFE) {
    value = integer<std::uint32_t>();
    smallest = 0x1'0000;
  } else {
    value = integer<std::uint64_t>();
    smallest = 0x1'0000'0000;
  }
  if (value < smallest) return fail(std::uint64_t{0});
  return value;
}

std::size_t Reader::count(std::size_t min_item_size) {
  const std::uint64_t items = compact_size();
  if (min_item_size != 0 && items > rest_.size() / min_item_size) return fail(std::size_t{0});
  return static_cast<std::size_t>(items);
}

std::size_t Reader::count(std::size_t min_item_size, std::size_t limit) {
  const std::size_t items = count(min_item_size);
  if (items > limit) return fail(std::size_t{0});
  return items;
}

ByteView Reader::view(std::size_t size) {
  if (size > rest_.size()) return fail(ByteView{});
  const ByteView out = rest_.first(size);
  rest_ = rest_.subspan(size);
  return out;
}

ByteView Reader::var_view(std::size_t limit) { return view(count(1, limit)); }

std::string Reader::var_string(std::size_t limit) {
  const ByteView text = var_view(limit);
  return {text.begin(), text.end()};
}

std::uint16_t Reader::big_endian16() {
  const auto high = integer<std::uint8_t>();
  const auto low = integer<std::uint8_t>();
  return static_cast<std::uint16_t>((high << 8U) | low);
}

std::size_t compact_size_length(std::uint64_t value) {
  if (value < 0xFD) return 1;
  if (value <= 0xFFFF) return 3;
  if (value <= 0xFFFF'FFFF) return 5;
  return 9;
}

}  // namespace spv::util
