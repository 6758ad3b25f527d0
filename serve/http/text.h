// Small things about the text of HTTP: case, blanks, prefixes.
#pragma once

#include <string>
#include <string_view>

namespace spv::serve {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string to_lower(std::string_view text);
/// Whatever the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);
/// Without blanks and tabs around it.
std::string_view trim(std::string_view text);

}  // namespace spv::serve
