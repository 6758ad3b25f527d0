// What a label may hold: one line of text that a terminal shows as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spv::report {

/// Why a text is not a label: not UTF-8, too long, or with characters that move the cursor or turn the direction of
/// writing; nothing if it is one.
std::optional<std::string> label_complaint(std::string_view text);
/// The same text with a blank for each such character, cut off where it is too long; nothing if it is not UTF-8.
std::optional<std::string> to_label(std::string_view text);

}  // namespace spv::report
