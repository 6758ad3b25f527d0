// Base58Check, Bech32 and Bech32m, addresses and descriptor checksums once more: numbers digit by digit, and the
// checksums as division of polynomials over GF(32), as the BIPs define them. Shares no code with wallet/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/params.h"
#include "util/bytes.h"

namespace spv::reference {

std::string base58(util::ByteView bytes);
std::optional<util::Bytes> from_base58(std::string_view text);
std::string base58check(util::ByteView payload);
std::optional<util::Bytes> from_base58check(std::string_view text);

struct Bech32 {
  bool m = false;  // the variant of BIP350
  std::string prefix;
  util::Bytes values;
};
std::string bech32(const Bech32& text);
std::optional<Bech32> from_bech32(std::string_view text);

std::optional<std::string> address_of(util::ByteView script, const chain::NetworkParams& params);
std::optional<util::Bytes> script_of(std::string_view address, const chain::NetworkParams& params);

/// The checksum of BIP380; the text has only characters of its alphabet.
std::string descriptor_checksum(std::string_view text);

}  // namespace spv::reference
