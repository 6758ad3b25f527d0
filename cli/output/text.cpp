#include "cli/output/text.h"

#include <cstdint>

#include <utf8proc.h>

namespace spv::cli {
namespace {

std::size_t width_of(std::uint32_t code) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)));
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  util::for_each_character(text, [&](std::string_view, std::uint32_t code) { columns += width_of(code); });
  return columns;
}

std::string first_columns(std::string_view text, std::size_t columns) {
  std::string out;
  bool full = false;
  util::for_each_character(text, [&](std::string_view bytes, std::uint32_t code) {
    full = full || width_of(code) > columns;
    if (full) return;
    columns -= width_of(code);
    out += bytes;
  });
  return out;
}

}  // namespace spv::cli
