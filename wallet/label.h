// Labels (BIP329): what the user calls a transaction, an address or a coin. The wallet keeps them and does not read
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "chain/params.h"
#include "chain/transaction.h"

namespace spv::wallet {

/// BIP329 advises 255 characters; other wallets write longer ones.
inline constexpr std::size_t kMaxLabelBytes = 1'000;

enum class LabelKind { Tx, Address, PublicKey, Input, Output, ExtendedKey };
/// The name in BIP329: tx, addr, pubkey, input, output, xpub.
std::string_view to_string(LabelKind kind);
std::optional<LabelKind> parse_label_kind(std::string_view name);

/// "txid:vout", as labels have it; nothing for any other text.
std::optional<chain::OutPoint> parse_outpoint(std::string_view text);

/// The reference as we keep it: hashes in lower case, an address of this network. Nothing if the text is not a
/// reference of that kind.
std::optional<std::string> label_reference(LabelKind kind, std::string_view text, const chain::NetworkParams& params);

struct Label {
  LabelKind kind = LabelKind::Tx;
  std::string ref;     // txid, address, "txid:vout", key: as BIP329 has it
  std::string text;    // empty: none, where only `spendable` is known
  std::string origin;  // the key origin of another wallet's transaction label; kept for it
  std::optional<bool> spendable = std::nullopt;
  friend bool operator==(const Label&, const Label&) = default;
};

/// What to change of one label; what is absent stays. One that says nothing any more is removed.
struct LabelChange {
  LabelKind kind = LabelKind::Tx;
  std::string ref;
  std::optional<std::string> text = std::nullopt;
  std::optional<std::string> origin = std::nullopt;
  std::optional<bool> spendable = std::nullopt;
};

}  // namespace spv::wallet
