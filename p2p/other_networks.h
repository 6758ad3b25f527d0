// The networks that a peer may be on by mistake: told apart, so that the error can say so.
#pragma once

#include <array>
#include <vector>

#include "p2p/message_reader.h"

namespace spv::p2p {

/// The magics of all networks that we know but this one.
std::vector<Magic> other_magics(const Magic& ours);

}  // namespace spv::p2p
