#include "cli/commands/filter/elements.h"

#include <unistd.h>

#include <fmt/format.h>

#include "bip37/bloom_filter.h"
#include "cli/commands/filter/input_lines.h"
#include "cli/error.h"
#include "cli/options/filter_options.h"
#include "util/hex.h"

namespace spv::cli {
namespace {

util::Bytes parse_element(std::string_view written, bool is_text, const std::string& where) {
  if (written.empty()) throw UsageError(where + " is empty");
  auto element = is_text ? util::to_bytes(util::as_bytes(written)) : util::from_hex(written);
  if (!element) {
    throw UsageError(fmt::format("{} is not hex: '{:.40}' (use --text for elements that are text)", where, written));
  }
  if (element->size() > bip37::kMaxElementBytes) {
    throw UsageError(
        fmt::format("{} has {} bytes; the limit of BIP37 is {}", where, element->size(), bip37::kMaxElementBytes));
  }
  return std::move(*element);
}

void for_each_line(bool is_text, const UseElement& use) {
  InputLines lines(STDIN_FILENO, (is_text ? 1 : 2) * bip37::kMaxElementBytes);
  while (const auto line = lines.next()) {
    use(parse_element(*line, is_text, fmt::format("line {}", lines.number())), *line);
  }
}

}  // namespace

void for_each_element(const FilterElements& options, const UseElement& use) {
  const auto& written = options.elements;
  if (written.size() == 1 && written.front() == "-") return for_each_line(options.text, use);
  std::vector<util::Bytes> elements;
  for (const auto& each : written) {
    if (each == "-") throw UsageError("give elements as arguments or - for stdin, not both");
    elements.push_back(parse_element(each, options.text, fmt::format("element {}", elements.size() + 1)));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) use(elements[i], written[i]);
}

}  // namespace spv::cli
