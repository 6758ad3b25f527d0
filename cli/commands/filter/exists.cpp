// `spv filter exists`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/elements.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const FilterExistsOptions& options) {
  const auto elements = parse_elements(options.elements);
  const auto filter = read_filter(options.file);
  boost::json::array results;
  for (const auto& element : elements) results.emplace_back(filter.contains(element));
  if (common.json) {
    print_json({{"results", std::move(results)}});
    return ExitCode::Done;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    print_line(fmt::format("{:<7} {}", results[i].as_bool() ? "matches" : "no", options.elements[i]));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
