// Public derivation (BIP32) and the outputs of BIP44, 49, 84 and 86 once more, over OpenSSL's curve arithmetic instead
// of libsecp256k1's. Shares no code with wallet/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "util/bytes.h"

namespace spv::reference {

/// What an xpub holds, as far as derivation needs it.
struct PublicNode {
  util::Bytes key;         // 33 bytes
  util::Bytes chain_code;  // 32 bytes
};

/// The node of an xpub or tpub with a right checksum; nothing for any other text.
std::optional<PublicNode> read_xpub(std::string_view text);
/// The child at an index below 2^31.
PublicNode child(const PublicNode& parent, std::uint32_t index);

util::Bytes pkh(const util::Bytes& key);
util::Bytes wpkh(const util::Bytes& key);
util::Bytes sh(const util::Bytes& inner);
util::Bytes wsh(const util::Bytes& inner);
util::Bytes pk(const util::Bytes& key);
util::Bytes multi(unsigned required, std::vector<util::Bytes> keys, bool sorted);
/// BIP86: no script path.
util::Bytes tr(const util::Bytes& key);

}  // namespace spv::reference
