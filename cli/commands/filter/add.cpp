// `spv filter add`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/elements.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const FilterAddOptions& options) {
  auto filter = read_filter(options.file);
  std::uint64_t added = 0;
  for_each_element(options, [&](util::ByteView element, std::string_view) {
    filter.insert(element);
    ++added;
  });
  replace_filter_file(options.file, filter);
  if (common.json) {
    print_json(
        {{"file", options.file}, {"added", added}, {"fill_ratio", filter.fill_ratio()}, {"fp_now", filter.fp_rate()}});
    return ExitCode::Done;
  }
  print_line(fmt::format("{}: {} element{} added; {:.1f}% of the bits set, false positive rate {:.4g}", options.file,
                         added, added == 1 ? "" : "s", 100 * filter.fill_ratio(), filter.fp_rate()));
  return ExitCode::Done;
}

}  // namespace spv::cli
