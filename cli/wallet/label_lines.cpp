#include "cli/wallet/label_lines.h"

#include <algorithm>
#include <optional>

#include <boost/json.hpp>

#include "cli/options/number.h"
#include "cli/wallet/label_text.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

namespace json = boost::json;
using wallet::LabelKind;

constexpr std::size_t kMaxLineBytes = 65'536;
constexpr std::size_t kMaxReferenceBytes = 200;
constexpr std::size_t kTxidDigits = 64;

struct LineError {
  std::string message;
};

std::optional<std::string> hex_reference(std::string_view text, std::initializer_list<std::size_t> sizes) {
  const auto bytes = util::from_hex(text);
  if (!bytes || std::ranges::find(sizes, bytes->size()) == sizes.end()) return std::nullopt;
  return util::to_hex(*bytes);
}

// "txid:7"
std::optional<std::string> point_reference(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != kTxidDigits) return std::nullopt;
  const auto txid = hex_reference(text.substr(0, colon), {kTxidDigits / 2});
  const auto index = parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!txid || !index) return std::nullopt;
  return *txid + ":" + std::to_string(*index);
}

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
  const auto reference = text ? label_reference(*kind, *text, params) : std::nullopt;
  if (!reference) return wrong("invalid ref, or of another network");
  wallet::LabelChange change{.kind = *kind, .ref = *reference};
  if (const auto label = text_of(object, "label")) {
    change.text = to_label(*label);
    if (!change.text) return wrong("the label is not UTF-8");
  }
  if (const auto origin = text_of(object, "origin")) change.origin = to_label(*origin);
  const auto* spendable = object.if_contains("spendable");
  if (*kind == LabelKind::Output && spendable != nullptr && spendable->is_bool()) {
    change.spendable = spendable->as_bool();
  }
  if (!change.text && !change.spendable) return wrong("neither label nor spendable");
  return change;
}

}  // namespace

std::optional<std::string> label_reference(LabelKind kind, std::string_view text, const chain::NetworkParams& params) {
  if (text.empty() || text.size() > kMaxReferenceBytes) return std::nullopt;
  switch (kind) {
    case LabelKind::Tx:
      return hex_reference(text, {32});
    case LabelKind::Input:
    case LabelKind::Output:
      return point_reference(text);
    case LabelKind::PublicKey:
      return hex_reference(text, {32, 33, 65});
    case LabelKind::Address: {
      const auto script = wallet::script_of_address(std::string(text), params);
      return script ? wallet::address_of_script(*script, params) : std::nullopt;
    }
    case LabelKind::ExtendedKey:
      break;
  }
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  if (!std::ranges::all_of(text, is_plain)) return std::nullopt;
  return std::string(text);
}

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
