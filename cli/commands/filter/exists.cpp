// `spv filter exists`
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/elements.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"
#include "cli/output/text.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const FilterExistsOptions& options) {
  const auto filter = read_filter(options.file);
  std::vector<bool> results;  // a bit each: there may be millions
  for_each_element(options, [&](util::ByteView element, std::string_view written) {
    const bool matches = filter.contains(element);
    if (common.json) {
      results.push_back(matches);
    } else {
      print_line(fmt::format("{:<7} {}", matches ? "matches" : "no", to_line(written)));
    }
  });
  if (common.json) {
    std::string list;
    for (const bool result : results) list += result ? ",true" : ",false";
    print_line("{\"results\":[" + list.substr(list.empty() ? 0 : 1) + "]}");
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
