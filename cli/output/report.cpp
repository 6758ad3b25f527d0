#include "cli/output/report.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/text.h"
#include "report/json_text.h"
#include "wallet/records.h"

namespace spv::cli {

std::string local_time(util::UnixTime time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return "?";
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return {text, size};
}

std::string utc_time(util::UnixTime time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "?";
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

void print_json(const boost::json::value& document) { print_line(to_utf8(report::json_text(document))); }

void print_line(const std::string& line) { fmt::print("{}\n", line); }

void print_rows(bool json, std::string_view name, boost::json::array&& rows, const Table& table) {
  if (json) {
    print_json({{name, std::move(rows)}});
  } else {
    table.print();
  }
}

std::string status_text(const wallet::HistoryEntry& entry) {
  using wallet::SetApart;
  const bool has_own_word = entry.set_apart == SetApart::Forgotten || entry.set_apart == SetApart::Locked ||
                            entry.set_apart == SetApart::Abandoned;
  if (has_own_word) return std::string(to_string(entry.set_apart));
  if (entry.set_apart == SetApart::NotSent) return "not sent";
  const bool waits = entry.set_apart == SetApart::No && !entry.confirmation && entry.sending;
  if (waits && entry.sending->state == wallet::SendState::Uncertain) return "uncertain";
  return std::string(to_string(entry.status));
}

std::optional<std::string> sending_text(const wallet::HistoryEntry& entry) {
  if (entry.confirmation || !entry.sending) return std::nullopt;
  const std::uint32_t peers = entry.sending->peers_accepted;
  switch (entry.sending->state) {
    case wallet::SendState::NotSent:
      return "not sent; its coins are reserved until spv broadcast or spv abandon";
    case wallet::SendState::Announced:
      return "announced to peers, no answer yet";
    case wallet::SendState::Fetched:
      return "fetched by a peer; no other peer has announced it yet";
    case wallet::SendState::Accepted:
      return fmt::format("accepted, announced by {} peer{}", std::max(peers, 1U), peers > 1 ? "s" : "");
    case wallet::SendState::Uncertain:
      return "no peer has taken it; the next sync announces it again";
    case wallet::SendState::Abandoned:
      return "abandoned; its coins are free, but it can still confirm if a node has it";
  }
  return std::nullopt;
}

}  // namespace spv::cli
