// BIP158's filters once more: plain and slow, bit by bit, from the BIP's text, sharing no code with bip158/. A second
// opinion for differential tests and fuzz targets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "util/bytes.h"

namespace spv::reference {

std::uint64_t siphash(const std::array<std::uint8_t, 16>& key, util::ByteView data);
/// The filter of these elements under the first 16 bytes of a block's hash.
util::Bytes build_gcs(const std::array<std::uint8_t, 16>& key, const std::set<util::Bytes>& elements);
/// The hashed elements of a filter; nothing if it is malformed: too short, with bits left over, or out of range.
std::optional<std::vector<std::uint64_t>> decode_gcs(util::ByteView filter);
bool gcs_holds(const std::vector<std::uint64_t>& decoded, const std::array<std::uint8_t, 16>& key,
               util::ByteView element);

}  // namespace spv::reference
