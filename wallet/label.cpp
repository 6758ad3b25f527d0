#include "wallet/label.h"

#include <algorithm>
#include <array>
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

std::optional<LabelKind> parse_label_kind(std::string_view name) {
  const auto* found = std::ranges::find(kLabelKinds, name, [](const auto& each) { return each.second; });
  if (found == kLabelKinds.end()) return std::nullopt;
  return found->first;
}

}  // namespace spv::wallet
