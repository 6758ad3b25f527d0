#include "cli/options/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "util/number.h"

namespace spv::cli {
namespace {

// "12, 15 or 18"
std::string listed(const std::vector<std::string>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    out += choices[i];
  }
  return out;
}

// Without an exponent, and without zeros behind the last digit.
std::string plain_number(double value) {
  std::string text = fmt::format("{:.7f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); }, ""};
}

CLI::Validator one_of(std::vector<std::string> choices) {
  const std::string shown = fmt::format("{{{}}}", fmt::join(choices, ","));
  return {[choices = std::move(choices)](const std::string& text) -> std::string {
            const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
            return known ? "" : "must be " + listed(choices);
          },
          shown};
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            const auto value = util::parse_number<std::uint64_t>(text);
            if (value && *value >= least && *value <= most) return {};
            return fmt::format("must be a whole number from {} to {}", least, most);
          },
          ""};
}

CLI::Validator probability() {
  return {[](const std::string& text) -> std::string {
            const auto value = util::parse_number<double>(text);
            return value && *value > 0 && *value < 1 ? "" : "must be a number above 0 and below 1";
          },
          ""};
}

CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string()
                    : fmt::format("must be a number from {} to {}", plain_number(low), plain_number(high));
      },
      "");
}

std::string usage_text(const CLI::ParseError& error) {
  std::string what = error.what();
  const auto colon = what.find(": ");
  const std::string name = what.substr(0, colon);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return name + (what.find("At Most") != std::string::npos ? " can be given only once" : " needs a value");
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr && colon != std::string::npos) {
    return name + " " + what.substr(colon + 2);
  }
  // What is converted and not checked before is a flag: "Could not convert: --json = perhaps".
  if (const auto equals = what.find(" = "); what.starts_with("Could not convert: ") && equals > colon) {
    return what.substr(colon + 2, equals - colon - 2) + " must be 1 or 0";
  }
  if (const auto at = what.find(" excludes "); at != std::string::npos) {
    return what.substr(0, at) + " cannot be used with " + what.substr(at + 10);
  }
  if (const auto at = what.find(" requires "); at != std::string::npos) {
    return what.substr(0, at) + " needs " + what.substr(at + 10);
  }
  return what;
}

}  // namespace spv::cli
