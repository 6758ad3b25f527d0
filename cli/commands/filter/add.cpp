// `spv filter add`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/elements.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const FilterAddOptions& options) {
  const auto elements = parse_elements(options.elements);
  auto filter = read_filter(options.file);
  for (const auto& element : elements) filter.insert(element);
  replace_filter_file(options.file, filter);
  if (common.json) {
    print_json({{"file", options.file},
                {"added", elements.size()},
                {"fill_ratio", filter.fill_ratio()},
                {"fp_now", filter.fp_rate()}});
    return ExitCode::Done;
  }
  print_line(fmt::format("{}: {} added; {:.1f} % of the bits are set, false positives now {:.4g}", options.file,
                         elements.size(), 100 * filter.fill_ratio(), filter.fp_rate()));
  return ExitCode::Done;
}

}  // namespace spv::cli
