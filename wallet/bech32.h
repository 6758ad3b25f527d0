// Bech32 (BIP173) and Bech32m (BIP350): text with a checksum that finds up to four wrong characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"
#include "util/expected.h"

namespace spv::wallet {

/// BIP173: no Bech32 text is longer.
inline constexpr std::size_t kMaxBech32Length = 90;

enum class Bech32Variant { Bech32, Bech32m };
enum class Bech32Error { Length, MixedCase, NoSeparator, BadCharacter, BadChecksum };

struct Bech32Text {
  Bech32Variant variant = Bech32Variant::Bech32;
  std::string prefix;  // the human-readable part, in lower case
  util::Bytes values;  // five bits each, without the checksum
};

/// Checks case, characters and checksum of either variant.
util::Expected<Bech32Text, Bech32Error> bech32_decode(std::string_view text);
/// In lower case; `values` are below 32 and the prefix is in lower case.
std::string bech32_encode(Bech32Variant variant, std::string_view prefix, util::ByteView values);

/// Bytes as groups of five bits, the last one padded with zeros.
util::Bytes to_five_bits(util::ByteView bytes);
/// Back again; nothing if the padding is five bits or more, or not zero.
std::optional<util::Bytes> from_five_bits(util::ByteView values);

}  // namespace spv::wallet
