// Golomb-coded sets, the form of BIP158's filters: a count, then the sorted hashes of the elements as Golomb-Rice coded
// differences. To look for scripts the filter is decoded once, and every script's hash is looked up in what came out;
// nothing needs to be sorted.
//
// A filter comes from a peer. Whatever it claims, the work is bounded by its bytes, and each error below is found
// whichever scripts are looked for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bip158/script_set.h"
#include "bip158/siphash.h"
#include "chain/types.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::bip158 {

/// BIP158, basic filters: bits of a remainder, and the inverse of the rate of false matches.
inline constexpr unsigned kP = 19;
inline constexpr std::uint64_t kM = 784'931;

enum class GcsError {
  BadCount,        // the count of elements cannot be read
  Truncated,       // fewer bytes than the elements take
  OutOfRange,      // an element beyond count * M
  TrailingBytes,   // bytes behind the last element
  NonZeroPadding,  // bits behind the last element, in its last byte, are set
};
std::string_view to_string(GcsError error);

/// Memory that is used again for each filter, so that none is allocated for each block.
struct Scratch {
  std::vector<std::uint64_t> values;  // of the filter, sorted
  std::vector<std::uint64_t> marks;   // a bit for each range of values: something is in it
};

/// True if the filter of this block holds one of the scripts, or seems to: that happens by chance once in kM scripts.
util::Expected<bool, GcsError> match_any(util::ByteView filter, const chain::BlockHash& block, const ScriptSet& scripts,
                                         Scratch& scratch);
/// The indexes of all scripts of the set that match, in rising order.
util::Expected<std::vector<std::size_t>, GcsError> match_all(util::ByteView filter, const chain::BlockHash& block,
                                                             const ScriptSet& scripts, Scratch& scratch);
/// How many elements the filter has; an error unless it is a filter that some set of scripts could give.
util::Expected<std::size_t, GcsError> validate(util::ByteView filter, Scratch& scratch);

/// The element of a script, in a filter of `count` elements.
inline std::uint64_t to_range(std::uint64_t hash, std::uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(hash) * (count * kM)) >> 64U);
}
/// The filter of these elements, which are sorted.
util::Bytes encode_gcs(const std::vector<std::uint64_t>& values);

}  // namespace spv::bip158
