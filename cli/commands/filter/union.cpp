// `spv filter union`
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/filter/combine.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const FilterUnionOptions& options) {
  const auto pair = read_pair(options);
  const auto both = bip37::BloomFilter::union_of(pair.first, pair.second).value();
  create_filter_file(options.out, both);
  if (common.json) {
    print_json(combined_json(options, "union", both));
    return ExitCode::Done;
  }
  print_line(combined_text(options, "union", both));
  print_line("it contains every element of both filters");
  return ExitCode::Done;
}

}  // namespace spv::cli
