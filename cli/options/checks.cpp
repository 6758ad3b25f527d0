#include "cli/options/checks.h"

#include <fmt/format.h>

#include "cli/options/number.h"

namespace spv::cli {

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, ""};
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            const auto value = parse_number<std::uint64_t>(text);
            if (value && *value >= least && *value <= most) return {};
            return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
          },
          ""};
}

CLI::Validator probability() {
  return {[](const std::string& text) -> std::string {
            const auto value = parse_number<double>(text);
            return value && *value > 0 && *value < 1 ? "" : "'" + text + "' is not a rate above 0 and below 1";
          },
          ""};
}

CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string() : fmt::format("{} is no number from {} to {}", text, low, high);
      },
      "");
}

}  // namespace spv::cli
