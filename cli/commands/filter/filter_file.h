// Filter files: the hex of a filterload payload (BIP37), readable only by their owner, since they reveal which
// addresses belong together.
#pragma once

#include <string>

#include "bip37/bloom_filter.h"

namespace spv::cli {

/// Reads a filter; throws CommandError if the file cannot be read, is too large or holds no filter.
bip37::BloomFilter read_filter(const std::string& path);
/// Writes a filter to a file that does not exist yet; throws CommandError if it does.
void create_filter_file(const std::string& path, const bip37::BloomFilter& filter);
/// Puts a filter in the place of the one in the file, whole or not at all.
void replace_filter_file(const std::string& path, const bip37::BloomFilter& filter);

/// Writes a file that anyone may read, over one that exists.
void write_picture(const std::string& path, const std::string& text);

}  // namespace spv::cli
