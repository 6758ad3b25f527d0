// The rules for headers once more: over a plain list of all headers from genesis, walking back as far as a rule needs,
// with numbers of any size. Shares no code with chain/ but the plain types.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "chain/block_header.h"
#include "chain/header_error.h"
#include "chain/params.h"

namespace spv::reference {

using Number = boost::multiprecision::cpp_int;

/// The target of bits; nothing if it is zero, negative or above 256 bits.
std::optional<Number> target_of(std::uint32_t bits);
std::uint32_t bits_of(const Number& target);
/// The work of bits; zero if they are no target.
Number work_of(std::uint32_t bits);
/// The first `size` bytes as a number, least significant first.
Number number_of(util::ByteView bytes);
bool has_work(const chain::BlockHeader& header, const chain::NetworkParams& params);

/// What the header after `chain` (all headers from genesis on) must have.
std::uint32_t required_bits(const std::vector<chain::BlockHeader>& chain, std::uint32_t time,
                            const chain::NetworkParams& params);
std::uint32_t median_time_past(const std::vector<chain::BlockHeader>& chain);
/// The first rule that `next` breaks, in a node's order, without its proof of work.
std::optional<chain::HeaderError> check(const std::vector<chain::BlockHeader>& chain, const chain::BlockHeader& next,
                                        const chain::NetworkParams& params, std::int64_t now);

}  // namespace spv::reference
