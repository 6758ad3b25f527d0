// Secrets at rest: a wallet's seed under a passphrase, stretched by scrypt (RFC 7914) and sealed by AES-256-GCM.
// A box is: magic, version, cost, salt, nonce, ciphertext, tag; all before the ciphertext, and the network, is bound
// to it as associated data. See docs/adr/0006-one-box-for-the-seed.md and docs/security.md, K1-K3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/params.h"
#include "util/bytes.h"
#include "util/expected.h"
#include "util/secret.h"

namespace spv::wallet {

/// What a guess at a passphrase costs: 128 * 2^log2_n * r bytes of memory, p times.
struct ScryptCost {
  std::uint8_t log2_n = 17;
  std::uint8_t r = 8;
  std::uint8_t p = 1;
  /// N is at most 2^20 and r * p at most 16: a hostile file cannot ask for more than 2 GiB.
  [[nodiscard]] bool is_bearable() const;
};

/// Fresh bytes of the system's entropy for each box.
struct BoxEntropy {
  std::array<std::uint8_t, 32> salt{};
  std::array<std::uint8_t, 12> nonce{};
};

enum class SecretBoxError { Malformed, TooCostly, NoMemory, WrongPassphrase };
/// What is wrong and what to do.
std::string_view to_string(SecretBoxError error);

/// `size` bytes from a passphrase; nothing if the memory for it is not there.
std::optional<util::SecretBytes> scrypt(util::ByteView passphrase, util::ByteView salt, const ScryptCost& cost,
                                        std::size_t size);

/// The box of a secret. Fails only with NoMemory.
util::Expected<util::SecretBytes, SecretBoxError> seal_secret(util::ByteView secret, util::ByteView passphrase,
                                                              chain::Network network, const BoxEntropy& entropy,
                                                              const ScryptCost& cost = {});
/// The secret of a box; a box that was changed in any bit, or is of another network, is as one with another passphrase.
util::Expected<util::SecretBytes, SecretBoxError> open_secret(util::ByteView box, util::ByteView passphrase,
                                                              chain::Network network);

}  // namespace spv::wallet
