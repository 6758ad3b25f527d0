// Where log lines go: stderr or a file of ours, never stdout.
#pragma once

#include <cstddef>
#include <functional>

#include "util/log.h"

namespace spv::cli {

struct CommonOptions;

/// The size of a log file and how many are kept: whatever is logged, the disk does not fill up (security.md R13).
inline constexpr std::size_t kLogFileBytes = 10'000'000;
inline constexpr int kLogFiles = 3;
inline constexpr std::size_t kLogLinesPerSecond = 1'000;

/// Throws CommandError if the file cannot be opened.
util::LogSink open_log(const CommonOptions& common);
/// The same, as the library's settings take it.
std::function<void(int, std::string_view)> library_log(const CommonOptions& common);

}  // namespace spv::cli
