#include "cli/output/qr_code.h"

#include <memory>
#include <qrencode.h>

namespace spv::cli {
namespace {

struct Free {
  void operator()(QRcode* code) const { QRcode_free(code); }
};
/// Light modules around the code; the standard asks for four, but two are enough for phones.
constexpr int kQuietZone = 2;

}  // namespace

std::optional<std::string> qr_code(std::string_view text) {
  const std::string terminated(text);
  const std::unique_ptr<QRcode, Free> code(
      QRcode_encodeString(terminated.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, /*casesensitive=*/1));
  if (!code) return std::nullopt;
  const auto is_light = [&](int row, int column) {
    const bool inside = row >= 0 && column >= 0 && row < code->width && column < code->width;
    return !inside || (code->data[row * code->width + column] & 1U) == 0;
  };
  std::string out;
  for (int row = -kQuietZone; row < code->width + kQuietZone; row += 2) {
    for (int column = -kQuietZone; column < code->width + kQuietZone; ++column) {
      const bool upper = is_light(row, column);
      const bool lower = row + 1 < code->width + kQuietZone && is_light(row + 1, column);
      out += upper ? (lower ? "\u2588" : "\u2580") : (lower ? "\u2584" : " ");
    }
    out += '\n';
  }
  return out;
}

}  // namespace spv::cli
