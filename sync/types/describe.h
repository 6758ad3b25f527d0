// What goes between us and peers, in words for the log. Nothing in them tells what the wallets hold: no address of
// theirs, no amount, no txid, no content of a filter.
#pragma once

#include <optional>
#include <string>

#include "p2p/message.h"
#include "sync/types/types.h"
#include "util/log.h"

namespace spv::sync {

struct LogNote {
  util::LogLevel level{};
  std::string text;
};

/// "getdata for 500 filtered blocks". Nothing for what comes too often to be worth a line.
std::optional<LogNote> describe_sent(const p2p::Message& message);
/// "2000 headers". Nothing for blocks and transactions, of which there are many: count them.
std::optional<LogNote> describe_received(const p2p::Message& message);
/// What the engine decided; nothing for what concerns a transaction.
std::optional<LogNote> describe_event(const Event& event);

}  // namespace spv::sync
