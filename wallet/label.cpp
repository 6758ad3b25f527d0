#include "wallet/label.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace spv::wallet {
namespace {

constexpr std::array<std::pair<LabelKind, std::string_view>, 6> kLabelKinds{{{LabelKind::Tx, "tx"},
                                                                             {LabelKind::Address, "addr"},
                                                                             {LabelKind::PublicKey, "pubkey"},
                                                                             {LabelKind::Input, "input"},
                                                                             {LabelKind::Output, "output"},
                                                                             {LabelKind::ExtendedKey, "xpub"}}};

}  // namespace

std::string_view to_string(LabelKind kind) {
  const auto* found = std::ranges::find(kLabelKinds, kind, [](const auto& each) { return each.first; });
  return found == kLabelKinds.end() ? "unknown" : found->second;
}

std::optional<chain::OutPoint> parse_outpoint(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto txid = util::parse_hash<chain::Txid>(text.substr(0, colon));
  const std::string_view digits = text.substr(colon + 1);
  chain::OutPoint out{.txid = txid.value_or(chain::Txid{}), .index = 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.index);
  if (!txid || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

std::optional<LabelKind> parse_label_kind(std::string_view name) {
  const auto* found = std::ranges::find(kLabelKinds, name, [](const auto& each) { return each.second; });
  if (found == kLabelKinds.end()) return std::nullopt;
  return found->first;
}

}  // namespace spv::wallet
