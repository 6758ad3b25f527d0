// Where log lines go: the library has no log of its own, it calls a sink. Never a secret, and at Info
// and above no address, txid or amount.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace spv::util {

enum class LogLevel { Trace, Debug, Info, Warn, Error };

using LogSink = std::function<void(LogLevel, std::string_view)>;

std::string_view to_string(LogLevel level);

}  // namespace spv::util
