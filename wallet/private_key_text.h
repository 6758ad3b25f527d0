// Private keys in a text that should have none.
#pragma once

#include <string_view>

namespace spv::wallet {

/// True if the text holds an extended private key (xprv, tprv, zprv, …) or one in WIF, with a right checksum, of any
/// network.
bool has_private_key(std::string_view text);

}  // namespace spv::wallet
