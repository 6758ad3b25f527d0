// Accounts (BIP44, 49, 84, 86): from a seed or an extended public key to the two descriptors that a wallet watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "util/expected.h"
#include "wallet/descriptor.h"
#include "wallet/extended_key.h"
#include "wallet/mnemonic.h"

namespace spv::wallet {

/// The name on the command line: pkh, sh-wpkh, wpkh, tr.
std::string_view to_string(ScriptKind kind);
std::optional<ScriptKind> parse_script_kind(std::string_view name);
/// The purpose in the key path: 44, 49, 84 or 86.
std::uint32_t purpose_of(ScriptKind kind);

/// m/purpose'/coin'/account'; `account` is below 2^31.
KeyPath account_path(ScriptKind kind, std::uint32_t account, const chain::NetworkParams& params);

/// Receive, then change, with the key's origin. Nothing for a seed without a master key (one in 2^127).
std::optional<std::vector<Descriptor>> account_descriptors(const Seed& seed, ScriptKind kind, std::uint32_t account,
                                                           const chain::NetworkParams& params);

/// A wallet's descriptor with the private key of its account in place of the public one, and its checksum; nothing if
/// its key is not of this seed.
std::optional<util::SecretBytes> private_descriptor(const Descriptor& descriptor, const Seed& seed,
                                                    const chain::NetworkParams& params);

/// Receive, then change, below an account's xpub, which may have its origin before it. Without `kind`, the prefix of
/// SLIP-132 decides (zpub: wpkh), and wpkh where it says nothing; a prefix that says something else is an error.
util::Expected<std::vector<Descriptor>, DescriptorError> descriptors_of_xpub(std::string_view text,
                                                                             std::optional<ScriptKind> kind,
                                                                             const chain::NetworkParams& params);

/// The fingerprint by which other wallets know this seed.
std::optional<Fingerprint> master_fingerprint(const Seed& seed);

}  // namespace spv::wallet
