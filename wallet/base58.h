// Base58 and Base58Check, the text form of legacy addresses, WIF keys and BIP32 keys. What is decoded may be a
// private key, so it comes in memory that is wiped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"
#include "util/expected.h"
#include "util/secret.h"

namespace spv::wallet {

std::string base58_encode(util::ByteView bytes);
/// Nothing if a character is not of the alphabet or if more than `max_bytes` would come out.
std::optional<util::SecretBytes> base58_decode(std::string_view text, std::size_t max_bytes);

/// With the first four bytes of the double SHA-256 behind.
std::string base58check_encode(util::ByteView payload);
/// The same for a private key; the text is wiped with its buffer.
util::SecretBytes base58check_encode_secret(util::ByteView payload);

enum class Base58Error { BadCharacter, TooLong, TooShort, BadChecksum };
/// The payload without its checksum; at most `max_payload` bytes.
util::Expected<util::SecretBytes, Base58Error> base58check_decode(std::string_view text, std::size_t max_payload);

/// The first character that Base58 does not have (0, O, I, l and all but letters and digits).
std::optional<char> bad_base58_character(std::string_view text);

}  // namespace spv::wallet
