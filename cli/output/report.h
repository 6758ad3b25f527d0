// How values are shown: JSON for programs, aligned text for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "chain/types.h"
#include "cli/output/table.h"
#include "util/time.h"

namespace spv::bip37 {
struct FilterPlan;
}  // namespace spv::bip37
namespace spv::wallet {
struct Balance;
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

/// The four sums of a balance.
boost::json::object to_json(const wallet::Balance& balance);
/// A filter's shape as peers see it, and what it was planned for.
boost::json::object filter_json(const bip37::FilterPlan& plan);
/// When a transaction was mined, else first seen.
util::UnixTime time_of(const wallet::HistoryEntry& entry);
/// "confirmed", "unconfirmed", "conflicted", or why else it counts nowhere: "forgotten", "locked", "abandoned", "not
/// sent"; "uncertain" for one of ours that no peer took.
std::string status_text(const wallet::HistoryEntry& entry);
/// How far one of ours that waits for a block has got, in a sentence; nothing for all others.
std::optional<std::string> sending_text(const wallet::HistoryEntry& entry);
/// The same in JSON: "send_state" and "peers_accepted".
void put_sending(boost::json::object& out, const wallet::HistoryEntry& entry);

}  // namespace spv::cli
