// Addresses: Base58Check (P2PKH, P2SH), Bech32 (witness v0, BIP173) and Bech32m (v1+, BIP350), per network.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/params.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::wallet {

/// A text that is no address of this network, and a sentence that says why and what to do.
struct AddressError {
  enum class Kind { Malformed, BadChecksum, MixedCase, WrongNetwork, BadProgram };
  Kind kind = Kind::Malformed;
  std::string message;
};

/// The scriptPubKey that an address stands for.
util::Expected<util::Bytes, AddressError> script_of_address(std::string_view address,
                                                            const chain::NetworkParams& params);
/// The address of a script; nothing for scripts that have none.
std::optional<std::string> address_of_script(util::ByteView script, const chain::NetworkParams& params);

}  // namespace spv::wallet
