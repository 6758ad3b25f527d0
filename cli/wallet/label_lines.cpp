#include "cli/wallet/label_lines.h"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>

#include "report/label_text.h"

namespace spv::cli {
namespace {

namespace json = boost::json;
using wallet::LabelKind;

constexpr std::size_t kMaxLineBytes = 65'536;

struct LineError {
  std::string message;
};

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->as_string());
}

util::Expected<wallet::LabelChange, LineError> parse_label_line(std::string_view line,
                                                                const chain::NetworkParams& params) {
  const auto wrong = [](const char* why) { return util::Unexpected{LineError{why}}; };
  if (line.size() > kMaxLineBytes) return wrong("the line is too long");
  boost::system::error_code error;
  const auto document = json::parse(line, error);
  if (error || !document.is_object()) return wrong("not a JSON object");
  const auto& object = document.as_object();
  const auto type = text_of(object, "type");
  const auto kind = type ? wallet::parse_label_kind(*type) : std::nullopt;
  if (!kind) return wrong("unknown type");
  const auto text = text_of(object, "ref");
  const auto reference = text ? wallet::label_reference(*kind, *text, params) : std::nullopt;
  if (!reference) return wrong("invalid ref, or of another network");
  wallet::LabelChange change{.kind = *kind, .ref = *reference};
  if (const auto label = text_of(object, "label")) {
    change.text = report::to_label(*label);
    if (!change.text) return wrong("the label is not UTF-8");
  }
  if (const auto origin = text_of(object, "origin")) change.origin = report::to_label(*origin);
  const auto* spendable = object.if_contains("spendable");
  if (*kind == LabelKind::Output && spendable != nullptr && spendable->is_bool()) {
    change.spendable = spendable->as_bool();
  }
  if (!change.text && !change.spendable) return wrong("neither label nor spendable");
  return change;
}

}  // namespace

std::string label_line(const wallet::Label& label) {
  json::object line{{"type", to_string(label.kind)}, {"ref", label.ref}};
  if (!label.text.empty()) line["label"] = label.text;
  if (!label.origin.empty()) line["origin"] = label.origin;
  if (label.spendable) line["spendable"] = *label.spendable;
  return json::serialize(line);
}

LabelLines parse_label_lines(std::string_view text, const chain::NetworkParams& params) {
  LabelLines out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // a byte order mark
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (auto label = parse_label_line(line, params)) {
      out.labels.push_back(std::move(*label));
    } else if (out.skipped++ == 0) {
      out.first_skipped = number;
      out.why = label.error().message;
    }
  }
  return out;
}

}  // namespace spv::cli
