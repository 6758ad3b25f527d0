// Errand: a request to the process that follows a wallet, from another one of the same database. Only that process may
// rename or delete the wallet, or send for it. What is asked and answered is text that the store does not look into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace spv::store {

using ErrandId = std::int64_t;

/// The longest body, and the longest answer.
inline constexpr std::size_t kMaxErrandText = std::size_t{1} << 20;

struct Errand {
  ErrandId id = 0;
  std::string wallet;
  std::string kind;
  std::string body;
};

struct ErrandReply {
  std::optional<std::string> answer;
  /// Without an answer: a process took it and may have carried it out, or still may. If false, nobody did or ever will.
  bool taken = false;
};

}  // namespace spv::store
