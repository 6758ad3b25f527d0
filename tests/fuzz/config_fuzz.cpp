// spv.conf: any text is entries or one error of one line that names the file; entries written out again are the same.
#include "chain/params.h"
#include "cli/error.h"
#include "cli/options/config_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace spv;

bool same(const cli::ConfigEntry& a, const cli::ConfigEntry& b) {
  return a.section == b.section && a.name == b.name && a.value == b.value;
}

}  // namespace

SPV_FUZZ_TARGET(config, input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  std::vector<cli::ConfigEntry> entries;
  try {
    entries = cli::parse_config(text, "spv.conf");
  } catch (const cli::UsageError& error) {
    util::ensure(std::string_view(error.what()).starts_with("spv.conf:"), "an error without its place");
    util::ensure(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error of several lines");
    return;
  }
  std::string written;
  for (const auto& entry : entries) {
    util::ensure(entry.section.empty() || chain::parse_network(entry.section), "a section that is no network");
    util::ensure(entry.name.find_first_of("\n=") == std::string::npos, "a name that is more than one");
    if (!entry.section.empty()) written += "[" + entry.section + "]\n";
    written += entry.name + "=" + entry.value + "\n";
  }
  // A name without letters ("=", behind dashes) cannot be written, nor one that reads as a comment or a section.
  for (const auto& entry : entries) {
    if (entry.name.empty() || entry.name[0] == '#' || entry.name[0] == '[' || entry.name[0] == '-') return;
    if (entry.name.find_first_of(" \t\r\v\f") != std::string::npos) return;
  }
  const auto again = cli::parse_config(written, "again");
  util::ensure(again.size() == entries.size(), "other entries come back");
  for (std::size_t i = 0; i < again.size(); ++i)
    util::ensure(same(again[i], entries[i]), "an entry comes back changed");
}
