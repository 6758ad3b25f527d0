#include "report/label_text.h"

#include <utf8proc.h>

#include "wallet/label.h"

namespace spv::report {
namespace {

bool is_shown_as_it_is(utf8proc_int32_t code) {
  const auto category = utf8proc_category(code);
  if (category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP) {
    return false;
  }
  // Embeddings, overrides and isolates of the direction of writing, and the two marks.
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !turns && code != 0x200E && code != 0x200F && code != 0x061C;
}

/// Calls it with each character and its code; false if the text is not UTF-8.
template <typename Call>
bool for_each_code(std::string_view text, Call call) {
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (size <= 0) return false;
    call(text.substr(0, static_cast<std::size_t>(size)), code);
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

std::optional<std::string> label_complaint(std::string_view text) {
  bool plain = true;
  if (!for_each_code(text,
                     [&](std::string_view, utf8proc_int32_t code) { plain = plain && is_shown_as_it_is(code); })) {
    return "the label is not valid UTF-8";
  }
  if (!plain) return "a label is one line without control characters";
  if (text.size() > wallet::kMaxLabelBytes) return "the label is longer than 1000 bytes";
  return std::nullopt;
}

std::optional<std::string> to_label(std::string_view text) {
  std::string out;
  bool full = false;
  const auto take = [&](std::string_view bytes, utf8proc_int32_t code) {
    const std::string_view shown = is_shown_as_it_is(code) ? bytes : " ";
    full = full || out.size() + shown.size() > wallet::kMaxLabelBytes;
    if (!full) out += shown;
  };
  if (!for_each_code(text, take)) return std::nullopt;
  return out;
}

}  // namespace spv::report
