#include "cli/commands/filter/elements.h"

#include <fmt/format.h>

#include "bip37/bloom_filter.h"
#include "cli/error.h"
#include "util/hex.h"

namespace spv::cli {

std::vector<util::Bytes> parse_elements(const std::vector<std::string>& texts) {
  std::vector<util::Bytes> elements;
  for (const auto& text : texts) {
    auto element = util::from_hex(text);
    if (!element || element->empty()) {
      throw UsageError(fmt::format("element {} is not hex of whole bytes: '{:.40}'", elements.size() + 1, text));
    }
    if (element->size() > bip37::kMaxElementBytes) {
      throw UsageError(fmt::format("element {} has {} bytes; BIP37 allows {}", elements.size() + 1, element->size(),
                                   bip37::kMaxElementBytes));
    }
    elements.push_back(std::move(*element));
  }
  return elements;
}

}  // namespace spv::cli
