#include "cli/wallet/descriptor_list.h"

#include <limits>

#include <boost/json.hpp>

#include "cli/error.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxListed = 10'000;
constexpr util::UnixTime kGenesisTime = 1'231'006'505;

[[noreturn]] void fail_list(const std::string& why) {
  throw CommandError(ExitCode::Failed, "bad-descriptors",
                     why + "; give the output of bitcoin-cli listdescriptors or spv descriptors");
}

std::optional<std::uint32_t> read_index(const json::object& entry) {
  for (const char* name : {"next_index", "next"}) {
    const auto* value = entry.if_contains(name);
    if (value == nullptr || !value->is_int64()) continue;
    const auto number = value->as_int64();
    if (number >= 0 && number <= std::numeric_limits<std::int32_t>::max()) return static_cast<std::uint32_t>(number);
  }
  return std::nullopt;
}

ListedDescriptor read_entry(const json::value& value) {
  const auto* entry = value.if_object();
  const auto* text = entry == nullptr ? nullptr : entry->if_contains("desc");
  if (text == nullptr || !text->is_string()) fail_list("an entry has no \"desc\"");
  ListedDescriptor out{.text = std::string(text->as_string()), .timestamp = {}, .next = read_index(*entry)};
  if (const auto* internal = entry->if_contains("internal")) out.internal = internal->is_bool() && internal->as_bool();
  const auto* timestamp = entry->if_contains("timestamp");
  if (timestamp != nullptr && timestamp->is_int64()) out.timestamp = timestamp->as_int64();
  return out;
}

}  // namespace

std::vector<ListedDescriptor> parse_descriptor_list(std::string_view text) {
  boost::system::error_code error;
  const auto document = json::parse(text, error);
  if (error) fail_list("the file is not a JSON document");
  const auto* object = document.if_object();
  const json::value* list = object == nullptr ? &document : object->if_contains("descriptors");
  const auto* entries = list == nullptr ? nullptr : list->if_array();
  if (entries == nullptr) fail_list("the file has no list of descriptors");
  if (entries->empty()) fail_list("the list of descriptors is empty");
  if (entries->size() > kMaxListed) fail_list("the list has more than 10000 descriptors");
  std::vector<ListedDescriptor> out;
  for (const auto& entry : *entries) out.push_back(read_entry(entry));
  return out;
}

std::optional<util::UnixTime> earliest(const std::vector<ListedDescriptor>& list) {
  std::optional<util::UnixTime> first;
  for (const auto& each : list) {
    if (!each.timestamp || *each.timestamp <= kGenesisTime) return std::nullopt;
    if (!first || *each.timestamp < *first) first = each.timestamp;
  }
  return first;
}

}  // namespace spv::cli
