// Linking this replaces operator new by one that counts; it is for a program of its own.
#pragma once

#include <cstddef>

namespace spv::p2p::test {

/// All bytes that were ever asked of operator new.
std::size_t bytes_allocated();

}  // namespace spv::p2p::test
