// How values are shown: JSON for programs, aligned text for people.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "chain/types.h"
#include "cli/output/table.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::cli {

/// "1.50000000"
std::string to_btc(chain::Amount amount);
/// "2026-11-16 02:28" in local time.
std::string local_time(util::UnixTime time);

/// Prints one JSON document and a newline to stdout.
void print_json(const boost::json::value& document);
void print_line(const std::string& line);

/// The four sums of cli.md.
boost::json::object to_json(const wallet::Balance& balance);

}  // namespace spv::cli
