#include "cli/output/report.h"

#include <cstdio>
#include <ctime>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "bip37/filter_plan.h"
#include "cli/output/text.h"
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

void print_json(const boost::json::value& document) { print_line(to_utf8(boost::json::serialize(document))); }

void print_line(const std::string& line) { fmt::print("{}\n", line); }

void print_rows(bool json, std::string_view name, boost::json::array&& rows, const Table& table) {
  if (json) {
    print_json({{name, std::move(rows)}});
  } else {
    table.print();
  }
}

boost::json::object to_json(const wallet::Balance& balance) {
  return {{"confirmed_sat", balance.confirmed},
          {"unconfirmed_sat", balance.unconfirmed},
          {"immature_sat", balance.immature},
          {"total_sat", balance.total()}};
}

boost::json::object filter_json(const bip37::FilterPlan& plan) {
  return {{"bytes", plan.filter.bits().size()}, {"hash_funcs", plan.filter.hash_funcs()},
          {"tweak", plan.filter.tweak()},       {"flags", static_cast<int>(plan.filter.flags())},
          {"elements", plan.elements},          {"fp_target", plan.fp_target}};
}

util::UnixTime time_of(const wallet::HistoryEntry& entry) {
  return entry.confirmation ? util::UnixTime{entry.confirmation->block_time} : entry.first_seen;
}

std::string status_text(const wallet::HistoryEntry& entry) {
  const bool has_own_word =
      entry.set_apart == wallet::SetApart::Forgotten || entry.set_apart == wallet::SetApart::Locked;
  return std::string(has_own_word ? to_string(entry.set_apart) : to_string(entry.status));
}

}  // namespace spv::cli
