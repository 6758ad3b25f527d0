// What came of an errand, as the answer that the protocol defines.
#pragma once

#include <boost/json/value.hpp>

#include "serve/electrum/errand.h"
#include "serve/electrum/version.h"
#include "util/expected.h"

namespace spv::serve::electrum {

/// So many headers at most are given at once, which is what clients ask for.
inline constexpr std::uint32_t kMostHeaders = 2'016;

util::Expected<boost::json::value, RpcError> outcome_json(const Errand& errand, const Outcome& outcome,
                                                          const Version& version);
std::string header_hex(const chain::BlockHeader& header);

}  // namespace spv::serve::electrum
