#include "wallet/label.h"

#include <algorithm>
#include <array>
#include <utility>

#include "util/hex.h"
#include "util/number.h"
#include "wallet/address.h"

namespace spv::wallet {
namespace {

constexpr std::array<std::pair<LabelKind, std::string_view>, 6> kLabelKinds{{{LabelKind::Tx, "tx"},
                                                                             {LabelKind::Address, "addr"},
                                                                             {LabelKind::PublicKey, "pubkey"},
                                                                             {LabelKind::Input, "input"},
                                                                             {LabelKind::Output, "output"},
                                                                             {LabelKind::ExtendedKey, "xpub"}}};

constexpr std::size_t kMaxReferenceBytes = 200;

std::optional<std::string> hex_reference(std::string_view text, std::initializer_list<std::size_t> sizes) {
  const auto bytes = util::from_hex(text);
  if (!bytes || std::ranges::find(sizes, bytes->size()) == sizes.end()) return std::nullopt;
  return util::to_hex(*bytes);
}

// "txid:7"
std::optional<std::string> point_reference(std::string_view text) {
  const auto point = parse_outpoint(text);
  if (!point) return std::nullopt;
  return util::to_string(point->txid) + ":" + std::to_string(point->index);
}

}  // namespace

std::string_view to_string(LabelKind kind) {
  const auto* found = std::ranges::find(kLabelKinds, kind, [](const auto& each) { return each.first; });
  return found == kLabelKinds.end() ? "unknown" : found->second;
}

std::optional<chain::OutPoint> parse_outpoint(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto txid = util::parse_hash<chain::Txid>(text.substr(0, colon));
  const auto index = util::parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!txid || !index) return std::nullopt;
  return chain::OutPoint{.txid = *txid, .index = *index};
}

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
      const auto script = script_of_address(std::string(text), params);
      return script ? address_of_script(*script, params) : std::nullopt;
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

std::optional<LabelKind> parse_label_kind(std::string_view name) {
  const auto* found = std::ranges::find(kLabelKinds, name, [](const auto& each) { return each.second; });
  if (found == kLabelKinds.end()) return std::nullopt;
  return found->first;
}

}  // namespace spv::wallet
