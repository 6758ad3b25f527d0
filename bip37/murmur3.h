// MurmurHash3 (x86, 32 bits): the hash of BIP37's filters. Not cryptographic.
#pragma once

#include <cstdint>

#include "util/bytes.h"

namespace spv::bip37 {

std::uint32_t murmur3(std::uint32_t seed, util::ByteView data);

}  // namespace spv::bip37
