// How values are shown: JSON for programs, aligned text for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "chain/types.h"
#include "cli/output/table.h"
#include "util/time.h"

namespace spv::wallet {
struct HistoryEntry;
}  // namespace spv::wallet

namespace spv::cli {

/// "2026-11-16 02:28" in local time.
std::string local_time(util::UnixTime time);
/// "2026-11-16T02:28:09Z"
std::string utc_time(util::UnixTime time);

/// Prints one JSON document and a newline to stdout.
void print_json(const boost::json::value& document);
void print_line(const std::string& line);
/// Prints a list: a JSON document with the rows under this name, or the table.
void print_rows(bool json, std::string_view name, boost::json::array&& rows, const Table& table);

/// "confirmed", "unconfirmed", "conflicted", or why else it counts nowhere: "forgotten", "locked", "abandoned", "not
/// sent"; "uncertain" for one of ours that no peer took.
std::string status_text(const wallet::HistoryEntry& entry);
/// How far one of ours that waits for a block has got, in a sentence; nothing for all others.
std::optional<std::string> sending_text(const wallet::HistoryEntry& entry);

}  // namespace spv::cli
